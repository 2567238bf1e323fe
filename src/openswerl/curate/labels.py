"""Say what a pull request is if it is nothing else: documentation, tests, CI, or version bumps."""

from openswerl.curate.change import Change
from openswerl.curate.generated import is_version_bump
from openswerl.curate.rules import Rules


def label(change: Change, rules: Rules) -> str:
    """Return docs_only, tests_only, ci_only or version_bump_only; empty if none fits."""
    paths = [file.path for file in change.pull.changed_files]
    for name, patterns in rules.kinds.items():
        if paths and all(map(patterns.match, paths)):
            return name
    return "version_bump_only" if _bumps_versions(change, rules) else ""


def _bumps_versions(change: Change, rules: Rules) -> bool:
    """Whether manifests change their version numbers, and lock files follow."""
    lock = rules.flagged["lock_files"]
    hunks = [hunk for hunk in change.hunks if not lock.match(hunk.path)]
    return bool(hunks) and all(is_version_bump(hunk, rules) for hunk in hunks)


def seed_kind(change: Change, rules: Rules) -> str | None:
    """Drop the labels on `drop_labels`."""
    found = label(change, rules)
    return found if found in rules.cfg.drop_labels else None
