import gzip
import json

import pytest

from curate.pulls import change
from openswerl.curate.bugs import seed_bug
from openswerl.records import Issue


def issue(title: str, body: str = "", *labels: str) -> Issue:
    return Issue("a/b", 1, title, body, list(labels))


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (issue("Crash on empty input"), None),
        (issue("parse: wrong result"), None),
        (issue("Sorting", "It raises ValueError: x"), None),
        (issue("Sorting", "It doesn't sort."), None),
        (issue("Sorting", "Please look at sorting."), "no_bug_wording"),
        (issue("Sorting", "This is not a bug, and works without errors."), "no_bug_wording"),
        (issue("Sorting", "<!-- Describe the bug here -->\nPlease look."), "no_bug_wording"),
        (issue("Add support for zstd"), "feature_request"),
        (issue("[Feature] tell of errors"), "feature_request"),
        (issue("Dark mode", "Is your feature request related to a problem?"), "feature_request"),
        (issue("Dark mode", "", "enhancement"), "feature_request"),
        (issue("Crash when idle", "", "enhancement"), "feature_request"),  # labels stand over wording
        (issue("Sorting", "", "type: bug"), None),
        (issue("Add support for zstd", "", "kind/bug", "enhancement"), None),
        (issue("Sorting", "Please look.", "not a bug"), "no_bug_wording"),
        (issue("Debugging guide", "Where is it?"), "no_bug_wording"),  # a part of a word
    ],
)
def test_wording_of_the_issue(rules, found, reason):
    assert seed_bug(change(title="Change sorting", issues=[found]), rules) == reason


@pytest.mark.parametrize(
    ("title", "found", "reason"),
    [
        ("Fix #1", issue("Sorting"), None),
        ("Fixes the sort order", issue("Allow None as key"), None),
        ("Fix #1", issue("Dark mode", "", "enhancement"), "feature_request"),
        ("Add a prefix", issue("Sorting"), "no_bug_wording"),
    ],
)
def test_the_pull_request_may_say_that_it_is_a_fix(rules, title, found, reason):
    assert seed_bug(change(title=title, issues=[found]), rules) == reason


def test_one_bug_among_the_issues_is_enough(rules):
    assert seed_bug(change(title="Sort", issues=[issue("Add a thing"), issue("It is broken")]), rules) is None


def test_labels_of_the_pull_request_count(rules):
    assert seed_bug(change(title="Sort", issues=[issue("Sorting")], labels=["bug"]), rules) is None


def test_without_issues_the_pull_request_speaks(rules):
    assert seed_bug(change(title="Sort", body="It was broken.", issues=[]), rules) is None
    assert seed_bug(change(title="Sort", body="Nicer.", issues=[]), rules) == "no_bug_wording"


def test_most_issues_of_the_benchmark_are_bugs(rules, data_folder):
    """SWE-bench is made of issues that a pull request resolved; a few of them ask for features."""
    with gzip.open(data_folder / "swebench" / "verified_instances.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["problem_statement"] for line in file]
    found = [seed_bug(change(title="Sort", issues=[issue(*text.split("\n", 1))]), rules) for text in texts]
    assert found.count(None) >= 0.8 * len(texts)
