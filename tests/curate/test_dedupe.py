from curate.pulls import diff_of, pull
from openswerl.curate.dedupe import reverts, same_issue, same_patch
from openswerl.records import Issue


def test_a_revert_goes_with_what_it_reverts():
    pulls = [
        pull(1, title="Use tabs"),
        pull(2, title='Revert "Use tabs"', body="Reverts acme/widget#1"),
        pull(3, title="Use tabs"),  # the same words again, not reverted: the body names number 1
        pull(4, title="Use dots"),
        pull(5, title='Revert "Use dots"'),
        pull(4, repo="other/repo", title="Use dots"),
        pull(6, title="Reverting is fine"),
        pull(7, title="revert: broken build"),
        pull(8, title="Tidy", body="Reverts #6"),  # the title decides
    ]
    assert reverts(pulls) == ["reverted", "revert", None, "reverted", "revert", None, None, "revert", None]


def test_a_revert_across_repositories():
    pulls = [pull(1, repo="up/stream"), pull(2, title='Revert "x"', body="Reverts Up/Stream#1"), pull(1)]
    assert reverts(pulls) == ["reverted", "revert", None]


def test_the_earliest_merged_of_one_patch_is_kept():
    diff = diff_of(("a.py", "x", "y"))
    late = pull(1, oracle_diff=diff, merged_at="2021-01-01T00:00:00Z")
    early = pull(
        2, oracle_diff=diff.replace("@@ -1 +1 @@", "@@ -9 +9 @@"), merged_at="2020-01-01T00:00:00Z", repo="c/d"
    )
    assert same_patch([late, early, pull(3)]) == ["same_patch", None, None]
    assert same_patch([early, late]) == [None, "same_patch"]


def test_ties_go_by_repository_and_number():
    diff, at = diff_of(("a.py", "x", "y")), "2020-01-01T00:00:00Z"
    pulls = [
        pull(2, oracle_diff=diff, merged_at=at),
        pull(1, oracle_diff=diff, merged_at=at),
        pull(3, oracle_diff=diff, merged_at=at, repo="A/z"),
    ]
    assert same_patch(pulls) == ["same_patch", "same_patch", None]


def test_the_earliest_merged_of_one_issue_is_kept():
    def linking(number: int, *issues: int, repo: str = "acme/widget"):
        return pull(number, issues=[Issue(repo, issue, "t", "b") for issue in issues])

    pulls = [
        linking(3, 7),
        linking(1, 7, 8),
        linking(2, 8),
        linking(4, 7, repo="Acme/Widget"),
        linking(5, 7, repo="x/y"),
        linking(6),
        linking(7),
    ]
    assert same_issue(pulls) == ["same_issue", None, "same_issue", "same_issue", None, None, None]


def test_a_dropped_one_drops_nothing_itself():
    pulls = [
        pull(1, issues=[Issue("a/b", 1, "", "")]),
        pull(2, issues=[Issue("a/b", 1, "", ""), Issue("a/b", 2, "", "")]),
        pull(3, issues=[Issue("a/b", 2, "", "")]),
    ]
    assert same_issue(pulls) == [None, "same_issue", None]
