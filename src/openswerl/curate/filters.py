"""What no model should learn from: empty and huge changes, text under an unsuitable licence, an upstream's history.

Each filter takes one pull request and says why it is dropped, or None.
"""

from openswerl.curate.change import Change
from openswerl.curate.rules import Rules


def size(change: Change, rules: Rules) -> str | None:
    """Changes without text, and extremely large ones (appendix A)."""
    pull, cfg = change.pull, rules.cfg
    if not pull.changed_files:
        return "empty_change"
    if len(pull.changed_files) > cfg.max_changed_files:
        return "too_many_files"
    if len(pull.oracle_diff) * 4 <= cfg.max_diff_bytes:
        return None
    return "diff_too_large" if len(pull.oracle_diff.encode("utf-8", "surrogatepass")) > cfg.max_diff_bytes else None


def forks(change: Change, rules: Rules) -> str | None:
    """Pull requests that bring an upstream's history into its fork.

    Ids grow with time and an upstream is older than its fork, so a head in an older repository is the upstream's, or
    that of a fork of it.
    """
    pull = change.pull
    if pull.fork is False:
        return None
    if rules.sync_titles.match(pull.title):
        return "sync_title"
    older = pull.head_repo_id is not None and pull.repo_id is not None and pull.head_repo_id < pull.repo_id
    return "head_in_upstream" if pull.fork and older else None


def licence(change: Change, rules: Rules) -> str | None:
    """Repositories whose licence file at the merge base is not on the list."""
    found = change.pull.licence
    if not found:
        return None if rules.cfg.keep_unknown_licence else "unknown_licence"
    return None if found in rules.licences else "licence_not_allowed"
