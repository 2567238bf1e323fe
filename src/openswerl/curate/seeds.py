"""The pull requests that RL starts from: a reported problem, and a change that text edits can make (paper 2).

Each rule takes one pull request and says why it is no seed, or None.
"""

from openswerl.curate.change import Change
from openswerl.curate.rules import Rules

REGULAR = {"100644", "100755"}


def seed_issue(change: Change, rules: Rules) -> str | None:
    """At least one linked issue, with text (paper); `require_issue=false` lets the pull request speak for itself."""
    if not rules.cfg.require_issue:
        return None
    issues = change.pull.issues
    if not issues:
        return "no_linked_issue"
    return None if any(issue.title.strip() or issue.body.strip() for issue in issues) else "no_issue_text"


def seed_files(change: Change, rules: Rules) -> str | None:
    """Few files, all of them code (`all_code`) or one at least (the paper), and one that is edited."""
    files = change.pull.changed_files
    if len(files) > rules.cfg.max_seed_files:
        return "too_many_seed_files"
    if not (all if rules.cfg.all_code else any)(is_code(file.path, rules) for file in files):
        return "not_code"
    return "only_new_files" if all(file.status == "A" for file in files) else None


def is_code(path: str, rules: Rules) -> bool:
    """Whether a path has a listed suffix after a name."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return bool(stem) and dot + suffix.lower() in rules.code_suffixes


def seed_edits(change: Change, rules: Rules) -> str | None:
    """Only what SEARCH/REPLACE edits can say: no removal or rename, no change of mode or type, text on both sides."""
    for file in change.pull.changed_files:
        if file.status == "D":
            return "removes_a_file"
        modes = [file.new_mode] if file.status == "A" else [file.old_mode, file.new_mode]
        if not REGULAR.issuperset(modes) or modes[0] != modes[-1]:
            return "mode_or_type_change"
        if file.outcome != "text":
            return "not_text"
    return None
