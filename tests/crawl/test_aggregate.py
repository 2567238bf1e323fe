import itertools
from pathlib import Path
from typing import Any

import pytest

from crawl.events import AT, MEMORY_MB, Row, closed, comment, event, issue, merged, write_events
from openswerl.crawl.aggregate import Undecided, aggregate, undecided
from openswerl.parquet import read_parquet
from openswerl.records import Comment, Issue, MergedPull

BEFORE, AFTER, LATER = "2020-01-02T03:00:00Z", "2020-01-02T03:05:00Z", "2021-01-01T00:00:00Z"


def pulls_of(folder: Path, *hours: list[Row], repositories: tuple[str, ...] = ()) -> list[MergedPull]:
    """Aggregate hours, each from a file of its own."""
    paths = [write_events(folder / f"{number}.parquet", *hour) for number, hour in enumerate(hours)]
    return read_parquet(aggregate(paths, folder / "scratch", MEMORY_MB, repositories).pulls, MergedPull)


def undecided_of(folder: Path, *rows: Row) -> list[tuple[str, int]]:
    path = undecided([write_events(folder / "h.parquet", *rows)], folder / "scratch", MEMORY_MB, [])
    return [(row.repo, row.number) for row in read_parquet(path, Undecided)]


def one(folder: Path, *rows: Row) -> MergedPull:
    [pull] = pulls_of(folder, list(rows))
    return pull


def test_every_column_reaches_the_record(tmp_path):
    columns: dict[str, Any] = {
        "file": "2020-01-02-3.json.gz",
        "offset": 77,
        "repo_id": 5,
        "fork": True,
        "title": "T",
        "body": "B",
        "author": "bob",
        "author_type": "Bot",
        "base_ref": "main",
        "default_branch": "main",
        "base_sha": "a" * 40,
        "head_sha": "b" * 40,
        "head_repo": "bob/x",
        "head_repo_id": 6,
        "merge_commit_sha": "c" * 40,
        "labels": ["bug", "easy"],
        "commits": 1,
        "additions": 2,
        "deletions": 3,
        "changed_files": 4,
    }
    pull = one(tmp_path, merged("Acme/x", 3, **columns))
    assert {name: getattr(pull, name) for name in columns} == columns
    assert (pull.repo, pull.number, pull.merged_at) == ("Acme/x", 3, AT)
    assert (pull.issues, pull.conversation, pull.flags) == ([], [], [])


def test_nothing_is_an_empty_result(tmp_path):
    found = aggregate([], tmp_path, MEMORY_MB, [])
    assert read_parquet(found.pulls, MergedPull) == [] == read_parquet(found.undecided, Undecided)
    assert not (tmp_path / "database").exists()


def test_order_is_by_lower_case_repository_and_number(tmp_path):
    rows = [merged("b/x", 2), merged("B/x", 1), merged("a/z", 10), merged("a/z", 9), merged("C/a", 1)]
    assert [(pull.repo, pull.number) for pull in pulls_of(tmp_path, rows)] == [
        ("a/z", 9),
        ("a/z", 10),
        ("B/x", 1),
        ("b/x", 2),
        ("C/a", 1),
    ]


def test_only_chosen_repositories_are_used(tmp_path):
    path = write_events(
        tmp_path / "h.parquet", merged("a/b", 1), merged("c/d", 2), merged("c/d", 3), closed("c/d", 4, None)
    )
    found = aggregate([path], tmp_path / "scratch", MEMORY_MB, ["A/B"])
    assert [pull.repo for pull in read_parquet(found.pulls, MergedPull)] == ["a/b"]
    assert (found.counts["merged"], found.counts["repository_not_chosen"]) == (3, 2)
    assert read_parquet(found.undecided, Undecided) == []


def test_counts(tmp_path):
    rows = [
        merged("a/b", 1, body="fixes #2, fixes #3, fixes #4"),
        issue("a/b", 2, "t"),
        issue("a/b", 3, "t", created_at=AFTER),
        closed("a/b", 4, False),
        comment("a/b", 1, "x", comment_id=1, created_at=BEFORE),
        comment("a/b", 1, "y", comment_id=2, created_at=AFTER),
    ]
    assert aggregate([write_events(tmp_path / "h.parquet", *rows)], tmp_path / "scratch", MEMORY_MB, []).counts == {
        "events": {"IssueCommentEvent": 2, "IssuesEvent": 2, "PullRequestEvent": 2},
        "merged": 1,
        "repository_not_chosen": 0,
        "linked_issues": {"all": 2, "with_text": 2, "text_after_merge": 1, "links_to_pull_requests": 1},
        "comments": {"kept": 1, "after_merge": 1},
    }


def test_pitfall_05_no_other_event_is_needed(tmp_path):
    """A merge whose opening is missing counts; one whose closing is missing is known from a later review event."""
    review = event("PullRequestReviewCommentEvent", "c/d", 2, title="t", merged_at=BEFORE, head_sha="1" * 40)
    found = pulls_of(tmp_path, [merged("a/b", 1), review, closed("e/f", 3, False, action="opened")])
    assert [(pull.repo, pull.merged_at, pull.flags) for pull in found] == [
        ("a/b", AT, []),
        ("c/d", BEFORE, ["state_from_review"]),
    ]


def test_pitfall_05_a_pull_request_event_goes_before_a_review_event(tmp_path):
    review = event("PullRequestReviewEvent", "a/b", 1, title="review", merged_at=AT, updated_at=AT)
    late = merged("a/b", 1, title="own", updated_at=LATER, created_at=LATER)
    assert one(tmp_path, review, late).title == "own"


def test_pitfall_06_repeated_events_are_one_pull_request(tmp_path):
    """By id from 2015 on, by content before, and with a repository's name in another case."""
    same = merged("a/b", 1)
    bare = merged("c/d", 2, event_id="")
    found = pulls_of(tmp_path, [same, same | {"offset": 98}, bare], [bare | {"offset": 99}, merged("A/B", 1)])
    assert [(pull.repo.lower(), pull.number) for pull in found] == [("a/b", 1), ("c/d", 2)]


@pytest.mark.parametrize("numbered", [True, False])
def test_pitfall_06_repeated_comments_are_one(tmp_path, numbered):
    said = comment("a/b", 1, "hello", comment_id=3 if numbered else None, comment_at=BEFORE)
    other = said | {"offset": 99, "event_id": ""}
    assert [item.body for item in one(tmp_path, merged("a/b", 1), said, other).conversation] == ["hello"]


def test_pitfall_06_the_newest_text_of_a_repeated_close_wins(tmp_path):
    rows = [merged("a/b", 1, title=at, updated_at=at, merged_at=AT) for at in (BEFORE, AT)]
    assert one(tmp_path, *rows).title == AT


def test_pitfall_09_only_the_close_that_merged_counts(tmp_path):
    cycle = [
        closed("a/b", 1, False, action="opened", created_at="2020-01-01T00:00:00Z"),
        closed("a/b", 1, False, created_at="2020-01-01T01:00:00Z"),
        closed("a/b", 1, False, action="reopened", created_at="2020-01-01T02:00:00Z"),
    ]
    assert pulls_of(tmp_path, [*cycle, closed("c/d", 2, False)]) == []
    assert one(tmp_path, *cycle, merged("a/b", 1)).merged_at == AT


def test_pitfall_09_null_is_unknown_and_never_false(tmp_path):
    thin = closed("a/b", 1, None, base_sha="a" * 40, head_sha="b" * 40, repo_id=7, updated_at=BEFORE)
    path = write_events(
        tmp_path / "h.parquet",
        thin | {"offset": 1 << 40, "event_id": "9" * 19},
        thin,
        closed("a/b", 3, None, action="opened"),
    )
    found = aggregate([path], tmp_path / "scratch", MEMORY_MB, [])
    assert read_parquet(found.pulls, MergedPull) == []
    expected = Undecided("a/b", 7, 1, BEFORE, "a" * 40, "b" * 40, thin["file"], thin["offset"])
    assert read_parquet(found.undecided, Undecided) == [expected]


@pytest.mark.parametrize(
    ("other", "asked"),
    [
        (merged("a/b", 1), False),
        (closed("a/b", 1, False, created_at=AFTER), False),
        (closed("a/b", 1, False, created_at=BEFORE), True),
        (closed("a/b", 1, None, action="reopened", created_at=AFTER), False),
        (closed("a/b", 1, None, action="reopened", created_at=BEFORE), True),
        (closed("a/b", 1, False, created_at=BEFORE, file="github-api"), False),
        (closed("a/b", 2, False, created_at=AFTER), True),
    ],
)
def test_pitfall_09_other_events_may_decide(tmp_path, other, asked):
    assert undecided_of(tmp_path, closed("a/b", 1, None, created_at=AT), other) == ([("a/b", 1)] if asked else [])


def test_pitfall_10_the_last_state_at_or_before_the_merge_wins(tmp_path):
    """Every order of four states in four files; the order is told apart by its pull request number."""
    states = (("before", BEFORE), ("at", AT), ("soon after", AFTER), ("long after", LATER))
    hours: list[list[Row]] = [[], [], [], []]
    for number, order in enumerate(itertools.permutations(states), 1):
        for hour, (title, at) in zip(hours, order, strict=True):
            hour.append(merged("a/b", number, title=title, head_sha=title[:2] * 20, merged_at=AT, updated_at=at))
    found = pulls_of(tmp_path, *hours)
    assert [(pull.title, pull.head_sha) for pull in found] == [("at", "at" * 20)] * 24


def test_pitfall_10_without_a_state_in_time_the_first_one_after_wins(tmp_path):
    days = ("2021-05-01T00:00:00Z", "2021-03-01T00:00:00Z", "2021-04-01T00:00:00Z")
    assert one(tmp_path, *(merged("a/b", 1, title=day, merged_at=AT, updated_at=day) for day in days)).title == days[1]


def test_pitfall_10_issue_text_is_that_of_the_merge(tmp_path):
    texts = [issue("a/b", 5, at, "x", created_at=at, labels=[at]) for at in (BEFORE, AFTER, "2020-01-02T02:00:00Z")]
    pull = one(tmp_path, merged("a/b", 1, body="Fixes #5"), *texts)
    assert (pull.issues, pull.flags) == ([Issue("a/b", 5, BEFORE, "x", [BEFORE])], [])


def test_pitfall_10_later_issue_text_is_flagged(tmp_path):
    texts = [issue("a/b", 5, at, "x", created_at=at) for at in (LATER, AFTER)]
    pull = one(tmp_path, merged("a/b", 1, body="Fixes #5"), *texts)
    assert (pull.issues, pull.flags) == ([Issue("a/b", 5, AFTER, "x")], ["issue_text_after_merge"])


def test_pitfall_25_a_name_in_another_case_is_the_same_repository(tmp_path):
    rows = [merged("Acme/Widget", 1, body="fixes acme/WIDGET#5"), issue("ACME/widget", 5, "t", "b")]
    assert one(tmp_path, *rows).issues == [Issue("acme/WIDGET", 5, "t", "b", [], "qualified")]


def test_pitfall_25_a_renamed_repository_is_one(tmp_path):
    rows = [issue("old/name", 5, "t", "b", repo_id=42), merged("new/name", 1, body="fixes OLD/name#5", repo_id=42)]
    assert one(tmp_path, *rows).issues == [Issue("OLD/name", 5, "t", "b", [], "qualified")]


def test_pitfall_25_an_event_without_an_id_belongs_to_the_owner_of_that_time(tmp_path):
    """The name a/b is repository 1 in early 2014 and repository 2 from 2016 on."""
    rows = [
        issue("a/b", 9, "x", repo_id=1, created_at="2014-01-01T00:00:00Z"),
        merged("a/b", 5, merged_at="2014-03-01T00:00:00Z", title="first"),
        merged("a/b", 5, merged_at="2016-03-01T00:00:00Z", title="second", repo_id=2),
        merged("A/b", 5, merged_at="2016-03-01T00:00:00Z", title="second"),
    ]
    found = pulls_of(tmp_path, rows)
    assert [(pull.title, pull.repo_id) for pull in found] == [("first", 1), ("second", 2)]


def test_pitfall_25_a_link_means_the_owner_at_the_merge(tmp_path):
    rows = [
        issue("old/name", 5, "first", repo_id=1, created_at="2019-01-01T00:00:00Z"),
        issue("old/name", 5, "second", repo_id=2, created_at="2020-01-01T00:00:00Z"),
        merged("a/b", 1, body="fixes old/name#5", merged_at="2019-01-02T00:00:00Z", repo_id=3),
        merged("a/b", 2, body="fixes old/name#5", merged_at="2020-01-02T00:00:00Z", repo_id=3),
    ]
    assert [pull.issues[0].title for pull in pulls_of(tmp_path, rows)] == ["first", "second"]


def test_pitfall_18_a_pull_request_is_no_issue(tmp_path):
    rows = [
        merged("a/b", 1, body="fixes #1, fixes #5, fixes #6, fixes #7, fixes #8"),
        closed("a/b", 5, False, action="opened"),
        comment("a/b", 6, "c", is_pull=True, title="a pull request"),
        event("PullRequestReviewEvent", "a/b", 7),
    ]
    assert one(tmp_path, *rows).issues == [Issue("a/b", 8, "", "")]


def test_pitfall_18_a_link_may_lead_to_another_repository(tmp_path):
    rows = [
        merged("ckan/gui", 15, body="closes ckan/support#40"),
        issue("ckan/support", 40, "t"),
        issue("ckan/gui", 40, "x"),
    ]
    assert one(tmp_path, *rows).issues == [Issue("ckan/support", 40, "t", "", [], "qualified")]


def test_comment_events_carry_issue_text(tmp_path):
    rows = [merged("a/b", 1, title="fix #5"), comment("a/b", 5, "c", title="t", created_at=BEFORE)]
    assert one(tmp_path, *rows).issues == [Issue("a/b", 5, "t", "")]


def test_title_and_body_are_read_and_nothing_runs_from_one_into_the_other(tmp_path):
    pull = one(tmp_path, merged("a/b", 1, title="Fixes #5, closes", body="#6 and resolves c/d#7"))
    assert pull.issues == [Issue("a/b", 5, "", ""), Issue("c/d", 7, "", "", [], "qualified")]


def test_an_issue_counts_once_by_its_first_link(tmp_path):
    body = "fixes A/b#5, fixes #5, fixes https://github.com/a/b/issues/5"
    assert one(tmp_path, merged("a/b", 1, body=body)).issues == [Issue("A/b", 5, "", "", [], "qualified")]


@pytest.mark.parametrize(("base", "default", "flags"), [("2.x", "main", ["not_default_branch"]), ("2.x", None, [])])
def test_pitfall_17_a_merge_to_another_branch_is_flagged(tmp_path, base, default, flags):
    pull = one(tmp_path, merged("a/b", 1, body="fixes #5", base_ref=base, default_branch=default))
    assert (pull.flags, len(pull.issues)) == (flags, 1)


def test_an_answer_of_github_is_flagged(tmp_path):
    pull = one(tmp_path, closed("a/b", 1, None), merged("a/b", 1, file="github-api", title="asked"))
    assert (pull.title, pull.flags) == ("asked", ["state_from_api"])


def test_conversation_in_time_order_up_to_the_merge(tmp_path):
    times = [f"2020-01-01T0{hour}:00:00Z" for hour in range(5)]
    review = event(
        "PullRequestReviewEvent", "a/b", 1, comment_body="r", comment_id=1, comment_at=times[2], comment_path=None
    )
    inline = event(
        "PullRequestReviewCommentEvent",
        "a/b",
        1,
        comment_body="i",
        comment_id=1,
        comment_at=times[1],
        comment_path="x.py",
    )
    rows = [
        comment("a/b", 1, "late", comment_id=9, comment_at=AFTER, created_at=AFTER),
        comment("a/b", 1, "last", comment_id=2, comment_at=AT),
        review,
        inline,
        comment("a/b", 1, " \r\n", comment_id=3, comment_at=times[0]),
        comment("a/b", 1, None, comment_id=4, comment_at=times[0]),
        comment("a/b", 2, "elsewhere", comment_id=5, comment_at=times[0]),
        comment("a/b", None, "old form", comment_id=6, comment_at=times[0]),
        comment("a/b", 1, "first", comment_id=7, comment_at=times[0], comment_author=None, comment_author_type=None),
    ]
    assert one(tmp_path, merged("a/b", 1), *rows).conversation == [
        Comment("comment", "ann", "", times[0], "", "first"),
        Comment("review_comment", "ann", "", times[1], "x.py", "i"),
        Comment("review", "ann", "", times[2], "", "r"),
        Comment("comment", "bob", "User", AT, "", "last"),
    ]


@pytest.mark.parametrize(
    ("edits", "body"), [([BEFORE, AFTER], BEFORE), ([LATER, AFTER], AFTER), (["2020-01-02T02:00:00Z", BEFORE], BEFORE)]
)
def test_an_edited_comment_is_as_it_was_at_the_merge(tmp_path, edits, body):
    said = [comment("a/b", 1, at, comment_id=3, comment_at="2020-01-01T00:00:00Z", created_at=at) for at in edits]
    assert [item.body for item in one(tmp_path, merged("a/b", 1), *said).conversation] == [body]


def test_a_deleted_comment_is_left_out(tmp_path):
    said = comment("a/b", 1, "x", comment_id=3, comment_at=BEFORE, created_at=BEFORE)
    gone = comment("a/b", 1, None, comment_id=3, action="deleted", created_at=AFTER)
    assert one(tmp_path, merged("a/b", 1), said, gone).conversation == []
