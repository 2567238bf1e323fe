import pytest

from curate.pulls import change
from openswerl.curate.keys import hashed, keys, pull_key, title_key
from openswerl.records import Commit, Issue

SHA = "c" * 40


def of_kind(kind: str, **fields) -> set[int]:
    return {key for name, key in keys(change(1, **fields)) if name == kind}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": "Mend it (backport #26870)"}, ("acme/widget", 26870)),
        ({"title": "Backport PR #12 on branch v3.4.x"}, ("acme/widget", 12)),
        ({"body": "Automated cherry pick of #7 on release-1.2."}, ("acme/widget", 7)),
        ({"body": "Cherry-picked from Up/Stream#9"}, ("up/stream", 9)),
        ({"body": "This is a back-port of https://github.com/up/stream/pull/9"}, ("up/stream", 9)),
        ({"title": "Backport the parser. Fixes #3"}, None),
        ({"title": "Support backports", "body": "#3"}, None),
        ({"title": "Fix #3"}, None),
    ],
)
def test_pitfall_20_backports_name_their_original(fields, named):
    expected = {pull_key("acme/widget", 1)} | ({pull_key(*named)} if named else set())
    assert of_kind("pull", **fields) == expected


def test_pitfall_20_cherry_picked_commits():
    cited = {hashed("commit", SHA)}
    assert of_kind("cites", body=f"(cherry picked from commit {SHA})") == cited
    assert of_kind("cites", commits=[Commit("d" * 40, f"x\n\n(cherry picked from commit {SHA})")]) == cited
    assert cited < of_kind("holds", commits=[Commit(SHA, "x")])
    assert cited < of_kind("holds", merge_commit_sha=SHA)
    assert of_kind("cites", body=f"commit {SHA}") == set()


def test_titles_count_by_branch_and_without_their_marks():
    trunk = of_kind("trunk", title="Mend the parser (#12)")
    assert len(trunk) == 1
    assert of_kind("branch", base_ref="2.6.x", title="[2.6.x] mend the parser: (backport #12)") == trunk
    assert of_kind("branch", base_ref="2.6.x", title="Mend parser") == set()  # too short to tell
    assert of_kind("branch", base_ref="2.6.x", default_branch="", title="Mend the parser") == set()


def test_issues_are_told_by_repository_and_number():
    issues = [Issue("A/b", 1, "", ""), Issue("a/B", 1, "", ""), Issue("a/b", 2, "", "")]
    assert of_kind("issue", issues=issues) == {hashed("issue", "a/b", 1), hashed("issue", "a/b", 2)}


@pytest.mark.parametrize(
    ("fields", "number", "title"),
    [
        ({"title": 'Revert "x"', "body": "Reverts up/stream#1"}, {pull_key("up/stream", 1)}, set()),
        ({"title": 'revert: "x"'}, set(), {title_key("acme/widget", "x")}),
        ({"title": "revert: broken build"}, set(), set()),
        ({"title": "Mend", "body": "Reverts #1"}, set(), set()),
    ],
)
def test_what_a_revert_takes_back(fields, number, title):
    assert (of_kind("reverts", **fields), of_kind("reverts_title", **fields)) == (number, title)
