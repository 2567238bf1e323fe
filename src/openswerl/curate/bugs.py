"""Whether a bug is described: labels first, then the issue's title, the pull request's title, the issue's text.

The paper asks for an issue that describes a bug fix (section 2) and does not print how that is told.
"""

from collections.abc import Iterable

from openswerl.curate.change import Change
from openswerl.curate.rules import Rules
from openswerl.curate.wording import COMMENT, Words
from openswerl.records import Issue

BUG, FEATURE, UNKNOWN = "bug", "feature_request", "no_bug_wording"


def seed_bug(change: Change, rules: Rules) -> str | None:
    """Say why no linked issue describes a bug: it asks for a feature, or has no bug wording.

    A pull request's title that speaks of a fix stands against wording, not against labels.
    """
    pull = change.pull
    labelled = by_labels([*pull.labels, *(name for issue in pull.issues for name in issue.labels)], rules)
    if labelled != UNKNOWN:
        return None if labelled == BUG else FEATURE
    issues = pull.issues or [Issue(pull.repo, pull.number, pull.title, pull.body)]
    found = {by_wording(issue, rules) for issue in issues}
    if BUG in found or rules.fix_words.found(pull.title):
        return None
    return FEATURE if FEATURE in found else UNKNOWN


def by_labels(names: Iterable[str], rules: Rules) -> str:
    """Judge labels; one of a bug decides."""
    text = "\n".join(names)
    if names_bug(text, rules.bug_labels, rules):
        return BUG
    return FEATURE if rules.feature_labels.found(text) else UNKNOWN


def by_wording(issue: Issue, rules: Rules) -> str:
    """Judge title, then text; a template's comments do not count."""
    body = COMMENT.sub(" ", issue.body)
    if rules.feature_titles.match(issue.title):
        return FEATURE
    if names_bug(issue.title, rules.bug_words, rules):
        return BUG
    if rules.feature_phrases.found(body):
        return FEATURE
    return BUG if names_bug(body, rules.bug_words, rules) else UNKNOWN


def names_bug(text: str, words: Words, rules: Rules) -> bool:
    """Whether a text has any of the words; what is denied ("not a bug", "without errors") does not count."""
    return words.found(text) and words.found(rules.denied_bug.sub(" ", text))
