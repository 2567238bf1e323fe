from hypothesis import given
from hypothesis import strategies as st

from curate.pulls import diff_of, pull, run_curate, seeds
from openswerl.curate.grouping import losers
from openswerl.files import read_jsonl
from openswerl.records import Commit, Issue, PullRequest

ONLY = ("curate.filters=[]", "curate.seeds=[]")


def kept(folder, step: str, pulls: list[PullRequest], *overrides: str) -> list[int]:
    """Return the numbers that one grouping keeps."""
    run_curate(folder, pulls, *ONLY, f"curate.groupings=[{step}]", *overrides)
    return seeds(folder)


@given(st.lists(st.sets(st.integers(0, 8), max_size=3), max_size=12))
def test_losers_are_those_that_meet_a_kept_one(members):
    kept_keys: set[int] = set()
    expected = []
    for rank, mine in enumerate(members):
        if mine & kept_keys:
            expected.append(rank)
        else:
            kept_keys |= mine
    pairs = [(rank, key) for rank, mine in enumerate(members) for key in sorted(mine)]
    assert list(losers(pairs, 9)) == expected


def test_a_revert_goes_with_what_it_reverts(tmp_path):
    pulls = [
        pull(1, title="Use tabs"),
        pull(2, title='Revert "Use tabs"', body="Reverts acme/widget#1"),
        pull(3, title="Use tabs"),  # the same words again, not reverted: the body names number 1
        pull(4, title="Use dots"),
        pull(5, title='Revert "Use dots"'),
        pull(40, repo="other/repo", title="Use dots"),
        pull(6, title="Reverting is fine"),
        pull(7, title="revert: broken build"),
        pull(8, title="Tidy", body="Reverts #6"),  # the title decides
        pull(9, repo="up/stream"),
        pull(10, title='Revert "x"', body="Reverts Up/Stream#9"),
    ]
    assert kept(tmp_path, "reverts", pulls) == [3, 40, 6, 8]
    rows = {row["number"]: row["reason"] for row in read_jsonl(tmp_path / "curate" / "dropped.jsonl")}
    assert {number for number, reason in rows.items() if reason == "revert"} == {2, 5, 7, 10}


def test_pitfall_20_the_earliest_merged_of_one_patch_is_kept(tmp_path):
    diff = diff_of(("a.py", "x", "y"))
    elsewhere = diff.replace("@@ -1 +1 @@", "@@ -9 +9 @@")
    late = pull(1, oracle_diff=diff, merged_at="2021-01-01T00:00:00Z")
    early = pull(2, oracle_diff=elsewhere, merged_at="2020-01-01T00:00:00Z", repo="c/d")
    assert kept(tmp_path, "same_patch", [late, early, pull(3)]) == [2, 3]


def test_ties_go_by_repository_and_number(tmp_path):
    same = {"oracle_diff": diff_of(("a.py", "x", "y")), "merged_at": "2020-01-01T00:00:00Z"}
    assert kept(tmp_path, "same_patch", [pull(2, **same), pull(1, **same), pull(3, repo="A/z", **same)]) == [3]


def test_pitfall_19_an_issue_that_several_link_has_one_pull_request(tmp_path):
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
    assert kept(tmp_path, "same_issue", pulls) == [1, 5, 6, 7]


def test_a_dropped_one_drops_nothing_itself(tmp_path):
    pulls = [
        pull(1, issues=[Issue("a/b", 1, "", "")]),
        pull(2, issues=[Issue("a/b", 1, "", ""), Issue("a/b", 2, "", "")]),
        pull(3, issues=[Issue("a/b", 2, "", "")]),
    ]
    assert kept(tmp_path, "same_issue", pulls) == [1, 3]


def test_pitfall_20_backports_and_cherry_picks_have_one_pull_request(tmp_path):
    sha = "c" * 40
    pulls = [
        pull(1, title="Mend the parser"),
        pull(2, title="Mend the parser (backport #1)", base_ref="2.6.x"),
        pull(3, title="[2.5.x] Mend the parser", base_ref="2.5.x"),  # by its title and branch
        pull(4, title="Mend the lexer once", base_ref="2.5.x"),  # nothing like it on the default branch
        pull(5, commits=[Commit(sha, "x")]),
        pull(6, commits=[Commit("d" * 40, f"x\n\n(cherry picked from commit {sha})")]),
        pull(7, commits=[Commit(sha, "x"), Commit("e" * 40, "y")]),  # stacked on 5, no copy of it
        pull(8, title="Other (backport #100)"),  # the original is not here: the first of its copies is kept
        pull(9, title="Other thing (backport #100)"),
        pull(10, title="Update the docs again"),
        pull(11, title="Update the docs again"),  # two on the default branch are two changes
        pull(12, title="Update the docs again", base_ref="2.6.x"),
    ]
    assert kept(tmp_path, "backports", pulls) == [1, 4, 5, 7, 8, 10, 11, 12]


def test_pitfall_20_near_duplicates_have_one_pull_request(tmp_path):
    def changing(number: int, lines: list[str], path: str = "a.py"):
        body = "".join(f"+{line}\n" for line in lines)
        return pull(
            number, oracle_diff=f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n{body}"
        )

    lines = [f"value_{n} = compute_{n}(first_{n}, second_{n})" for n in range(40)]
    other = [f"other_{n} = derive_{n}(third_{n}, fourth_{n})" for n in range(40)]
    pulls = [
        changing(1, lines),
        changing(2, [*lines[:39], "value_39 = 0"], "moved/a.py"),  # 97% the same
        changing(3, [*lines[:20], *other[:20]]),  # a third
        changing(4, other),
        changing(5, ["x = 1"]),
        changing(6, ["x = 1"]),  # too short to tell
    ]
    assert kept(tmp_path, "near_duplicates", pulls) == [1, 3, 4, 5, 6]
    assert kept(tmp_path, "near_duplicates", pulls, "curate.min_similarity=0.999") == [1, 2, 3, 4, 5, 6]
