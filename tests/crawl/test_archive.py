import itertools
import json

import pytest

from crawl.world import issue_record, pull_record, record, write_hour
from openswerl.crawl.archive import Archive, scan
from openswerl.records import Issue

AT = "2020-01-02T03:04:05Z"


def archive_of(folder, *hours: list[dict]) -> Archive:
    """Read hours in order, each from a file of its own."""
    archive = Archive()
    for number, hour in enumerate(hours):
        archive.update(scan(write_hour(folder / f"{number}.json.gz", *hour)))
    return archive


def links(archive: Archive) -> list[Issue]:
    [key] = archive.merged
    return archive.linked_issues(key)


def unmerged(repo: str, number: int, merged: bool | None, action: str = "closed") -> dict:
    item = pull_record(repo, number, merged=merged, merged_at=None, updated_at=AT)
    item["payload"]["action"] = action
    return item


def test_only_merged_pull_requests_count(tmp_path):
    archive = archive_of(
        tmp_path, [unmerged("a/b", 1, False), pull_record("a/b", 2), unmerged("a/b", 3, False, "opened")]
    )
    assert [number for _, number in archive.merged] == [2]
    assert archive.need_enrichment() == []


def test_unknown_is_never_guessed(tmp_path):
    hours = [
        [
            unmerged("a/b", 1, None),
            unmerged("a/b", 1, None),
            unmerged("a/b", 2, None),
            unmerged("a/b", 3, None, "opened"),
        ],
        [pull_record("a/b", 2)],
    ]
    archive = archive_of(tmp_path, *hours)
    assert [number for _, number in archive.merged] == [2]
    assert [event.pull.number for event in archive.need_enrichment()] == [1]


@pytest.mark.parametrize("order", itertools.permutations(range(4)))
def test_the_last_state_at_or_before_the_merge_wins(tmp_path, order):
    states = [
        pull_record("a/b", 1, title="before", merged_at=AT, updated_at="2020-01-02T03:04:00Z"),
        pull_record("a/b", 1, title="at", merged_at=AT, updated_at=AT),
        pull_record("a/b", 1, title="soon after", merged_at=AT, updated_at="2020-01-02T03:05:00Z"),
        pull_record("a/b", 1, title="long after", merged_at=AT, updated_at="2021-01-01T00:00:00Z"),
    ]
    archive = archive_of(tmp_path, *([states[index]] for index in order))
    assert [event.pull.title for event in archive.merged.values()] == ["at"]


def test_without_a_state_in_time_the_first_one_after_wins(tmp_path):
    late = [
        pull_record("a/b", 1, title=at, merged_at=AT, updated_at=at)
        for at in ("2021-05-01", "2021-03-01", "2021-04-01")
    ]
    archive = archive_of(tmp_path, late)
    assert [event.pull.title for event in archive.merged.values()] == ["2021-03-01"]


def test_repeated_events_are_one_pull_request(tmp_path):
    archive = archive_of(tmp_path, [pull_record("a/b", 1)] * 2, [pull_record("A/B", 1)])
    assert len(archive.merged) == 1


def test_the_later_issue_text_wins_in_any_order(tmp_path):
    texts = [
        issue_record("a/b", 5, "old", "x", "2020-01-01T00:00:00Z"),
        issue_record("a/b", 5, "new", "y", "2020-01-03T00:00:00Z"),
    ]
    for number, order in enumerate((texts, texts[::-1])):
        archive = archive_of(
            tmp_path / str(number), [pull_record("a/b", 1, body="Fixes #5")], *([item] for item in order)
        )
        assert links(archive) == [Issue("a/b", 5, "new", "y")]


def test_comment_events_carry_issue_text(tmp_path):
    payload = {"action": "created", "issue": {"number": 5, "title": "t", "body": None}, "comment": {"body": "c"}}
    archive = archive_of(
        tmp_path, [pull_record("a/b", 1, title="fix #5"), record("IssueCommentEvent", "a/b", payload, AT)]
    )
    assert links(archive) == [Issue("a/b", 5, "t", "")]


def test_title_and_body_are_read_and_nothing_runs_from_one_into_the_other(tmp_path):
    archive = archive_of(tmp_path, [pull_record("a/b", 1, title="Fixes #5, closes", body="#6 and resolves c/d#7")])
    assert links(archive) == [Issue("a/b", 5, "", ""), Issue("c/d", 7, "", "")]


def test_pull_requests_are_no_issues(tmp_path):
    comment = {"issue": {"number": 6, "title": "a pull request", "pull_request": {"url": "u"}}, "action": "created"}
    archive = archive_of(
        tmp_path,
        [
            pull_record("a/b", 1, body="fixes #1, fixes #5, fixes #6, fixes #7"),
            unmerged("a/b", 5, False, "opened"),
            record("IssueCommentEvent", "a/b", comment, AT),
        ],
    )
    assert links(archive) == [Issue("a/b", 7, "", "")]


def test_an_issue_is_found_under_an_older_name_of_its_repository(tmp_path):
    issue = issue_record("old/name", 5, "t", "b")
    pull = pull_record("new/name", 1, body="fixes OLD/name#5")
    for item in (issue, pull):
        item["repo"]["id"] = 42
    pull["payload"]["pull_request"]["base"]["repo"]["id"] = 42
    assert links(archive_of(tmp_path, [issue], [pull])) == [Issue("OLD/name", 5, "t", "b")]


def test_repositories_tell_forks(tmp_path):
    fork = pull_record("a/fork", 1)
    fork["payload"]["pull_request"]["base"]["repo"] = {"id": 9, "fork": True}
    thin = pull_record("c/thin", 1)
    thin["payload"]["pull_request"]["base"]["repo"] = None
    found = archive_of(tmp_path, [thin, fork, pull_record("b/plain", 1)]).repositories()
    assert [(row["repo"], row["fork"]) for row in found] == [("a/fork", True), ("b/plain", False), ("c/thin", None)]
    assert found[0]["id"] == 9


def test_real_links_equal_the_expected_ones(gharchive):
    archive = Archive()
    for path in sorted(gharchive.glob("*.json.gz")):
        archive.update(scan(path))
    keys = {(event.repo.lower(), number): key for key, event in archive.merged.items() for number in [key[1]]}
    records = json.loads((gharchive / "expected.json").read_text())["records"]
    for expected in records:
        found = archive.linked_issues(keys[expected["repo"], expected["number"]])
        wanted = [(issue["repo"], issue["number"]) for issue in expected["linked_issues"]]
        assert [(issue.repo.lower(), issue.number) for issue in found] == wanted
        for issue, link in zip(found, expected["linked_issues"], strict=True):
            assert bool(issue.title) == link["text_in_extracts"]
            assert issue.title == link.get("title", "")
    assert len(records) == 13
