import pytest

from archive.hours import (
    Z,
    comment_event,
    dumps,
    issue,
    modern,
    old,
    old_pull_event,
    only,
    pull,
    pull_event,
    push_event,
    read,
    side,
    thin_event,
    write_hour,
)


def test_pull_request_event(tmp_path):
    labels = [{"id": 1, "name": "bug"}, {"id": 2, "name": "ui"}]
    assert only(tmp_path, pull_event(7, labels=labels)) == [
        {
            "file": "h.json.gz",
            "offset": 0,
            "event_id": "2489000007",
            "type": "PullRequestEvent",
            "action": "closed",
            "created_at": Z,
            "repo": "acme/widget",
            "repo_id": 77,
            "actor": "ann",
            "number": 7,
            "is_pull": True,
            "title": "Fix it",
            "body": "Fixes #3",
            "author": "ann",
            "author_type": "User",
            "labels": ["bug", "ui"],
            "updated_at": Z,
            "merged": True,
            "merged_at": Z,
            "merge_commit_sha": "c" * 40,
            "base_sha": "b" * 40,
            "base_ref": "main",
            "default_branch": "main",
            "fork": False,
            "head_sha": "a" * 40,
            "head_ref": "fix",
            "head_repo": "acme/widget",
            "head_repo_id": 77,
            "commits": 2,
            "additions": 10,
            "deletions": 4,
            "changed_files": 3,
        }
    ]


def test_deleted_fork_has_no_head_repository(tmp_path):
    [row] = only(tmp_path, pull_event(7, head=side("a", repo=None), body=None, user=None))
    assert not {"head_repo", "head_repo_id", "body", "author"} & row.keys()
    assert row["head_sha"] == "a" * 40


def test_comment_on_an_issue(tmp_path):
    [row] = only(tmp_path, comment_event(3, labels=[]))
    del row["file"], row["offset"], row["event_id"], row["repo"], row["repo_id"], row["actor"], row["created_at"]
    assert row == {
        "type": "IssueCommentEvent",
        "action": "created",
        "number": 3,
        "is_pull": False,
        "title": "It breaks",
        "body": "Badly.",
        "author": "bob",
        "author_type": "User",
        "labels": [],
        "updated_at": Z,
        "comment_id": 8,
        "comment_body": "Me too",
        "comment_author": "cat[bot]",
        "comment_author_type": "Bot",
        "comment_at": Z,
    }


def test_pull_requests_are_told_from_issues_by_their_address(tmp_path):
    null = {"html_url": None, "diff_url": None, "patch_url": None}
    links = [{}, {"pull_request": None}, {"pull_request": null}, {"pull_request": {"url": "u"}}]
    links.append({"pull_request": {"html_url": "u"}})
    rows = only(tmp_path, *(comment_event(number, **link) for number, link in enumerate(links, 1)))
    assert [row["is_pull"] for row in rows] == [False, False, False, True, True]


def test_review_and_review_comment(tmp_path):
    small = {key: value for key, value in pull(4).items() if key not in ("merged", "commits", "additions")}
    review = {"id": 11, "body": None, "user": {"login": "rev", "type": "User"}, "submitted_at": Z, "state": "approved"}
    comment = {"id": 12, "body": "Why?", "user": {"login": "rev", "type": "User"}, "created_at": Z, "path": "a/b.py"}
    first, second = only(
        tmp_path,
        modern("PullRequestReviewEvent", {"action": "created", "review": review, "pull_request": small}),
        modern("PullRequestReviewCommentEvent", {"action": "created", "comment": comment, "pull_request": small}),
    )
    for row in (first, second):
        assert (row["number"], row["is_pull"], row["title"]) == (4, True, "Fix it")
        assert not {"merged", "commits", "additions"} & row.keys()
    assert (first["comment_id"], first["review_state"], first["comment_at"]) == (11, "approved", Z)
    assert (second["comment_id"], second["comment_body"], second["comment_path"]) == (12, "Why?", "a/b.py")
    assert "comment_body" not in first and "review_state" not in second


def test_old_pull_request(tmp_path):
    [row] = only(tmp_path, old_pull_event(2))
    assert (row["event_id"], row["repo"], row["repo_id"], row["actor"]) == ("", "dgl/cpangrep", 77, "dgl")
    assert (row["created_at"], row["merged"], row["number"]) == ("2012-04-11T22:55:43Z", True, 2)
    assert (row["default_branch"], row["fork"]) == ("master", False)
    assert not {"merge_commit_sha", "author_type", "head_repo", "labels"} & row.keys()


def test_old_events_without_text(tmp_path):
    opened, said, on_pull, reviewed = only(
        tmp_path,
        old("IssuesEvent", {"action": "opened", "issue": 5082481, "number": 294}),
        old("IssueCommentEvent", {"issue_id": 1, "comment_id": 6}, "issues/451#issuecomment-6"),
        old("IssueCommentEvent", {"issue_id": 1, "comment_id": 7}, "pull/229#issuecomment-7"),
        old("PullRequestReviewCommentEvent", {"comment": {"id": 8, "body": "No", "path": "x"}}, "pull/13#r8"),
    )
    assert (opened["number"], opened["action"], opened.get("is_pull")) == (294, "opened", None)
    assert (said["number"], said["comment_id"], said.get("is_pull"), said["action"]) == (451, 6, None, "")
    assert (on_pull["number"], on_pull["comment_id"], on_pull["is_pull"]) == (229, 7, True)
    assert (reviewed["number"], reviewed["comment_id"], reviewed["is_pull"]) == (13, 8, True)
    assert not {"title", "body", "author"} & (opened.keys() | said.keys())


def test_thin_shape_leaves_merged_unknown(tmp_path):
    [row] = only(tmp_path, thin_event(8))
    assert not {"merged", "merged_at", "title", "default_branch", "fork", "commits"} & row.keys()
    assert (row["number"], row["head_sha"], row["base_sha"]) == (8, "h" * 40, "b" * 40)
    assert (row["head_repo"], row["head_repo_id"]) == ("acme/widget", 77)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (rb"\ud800", "\ufffd"),
        (rb"x\udc00\udc00y", "x\ufffd\ufffdy"),
        (rb"\ud83d\ude00\ud83d", "\U0001f600\ufffd"),
        (rb"\uD83Dx", "\ufffdx"),
        (rb"\ud83d\n", "\ufffd\n"),
        (rb"\\ud800 \ud800", "\\ud800 \ufffd"),
    ],
)
def test_half_a_surrogate_pair_does_not_lose_the_record(tmp_path, stored, shown):
    line = dumps(pull_event(1, title="@")).replace(b'"@"', b'"' + stored + b'"')
    rows = only(tmp_path, pull_event(1), line, dumps(push_event(1, "@")).replace(b"@", stored))
    assert [row["title"] for row in rows] == ["Fix it", shown]


def test_account_of_a_clean_hour(tmp_path):
    kept = [dumps(pull_event(1)), dumps(pull_event(2)), dumps(comment_event(3))]
    others = [dumps(push_event(number)) for number in (4, 5, 6)]
    _, _, reader = read(write_hour(tmp_path / "h.json.gz", *kept, *others))
    account = reader.account
    assert (account.kept_bytes, account.other_bytes) == (sum(map(len, kept)), sum(map(len, others)))
    assert (account.separator_bytes, account.quarantined_bytes, account.other_events) == (6, 0, 3)
    assert account.events == {"PullRequestEvent": 2, "IssueCommentEvent": 1}
    assert account.input_bytes == sum(map(len, kept + others)) + 6


def test_fewer_types_may_be_asked_for(tmp_path):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), comment_event(2), push_event(3))
    rows, _, reader = read(path, ("PullRequestEvent",))
    assert ([row["number"] for row in rows], reader.account.other_events) == ([1], 2)


def test_issue_event_of_a_repository_without_an_id(tmp_path):
    event = modern("IssuesEvent", {"action": "opened", "issue": issue(9)})
    del event["repo"]["id"]
    [row] = only(tmp_path, event)
    assert "repo_id" not in row and row["number"] == 9
