import pytest

from crawl.pulls import LIMITS, join_mirror, merged_pull, mirror
from crawl.world import DIFF, Work, run_git
from openswerl.crawl.branches import MAX_WALK, fork_point
from openswerl.crawl.clone import Clone
from openswerl.crawl.join import Joined, Unusable, join

LOST = "f" * 40


@pytest.fixture
def work(tmp_path) -> Work:
    return Work(tmp_path / "work")


@pytest.fixture
def base(work) -> str:
    return work.commit({"a.py": "1\n", "b.py": "1\n"})


def steps(work: Work, parent: str, *contents: str) -> list[str]:
    commits = []
    for content in contents:
        commits.append(work.commit({"a.py": content}, commits[-1] if commits else parent))
    return commits


def plain_join(work: Work, base: str, head: str, tip: str, **fields) -> Joined:
    """Join with a clone that has what `tip` reaches and nothing else, as one without refs/pull/*."""
    work.git("update-ref", "refs/heads/main", tip)
    path = work.folder.parent / "plain.git"
    run_git(work.folder.parent, "clone", "-q", "--bare", "--no-local", "--single-branch", str(work.folder), str(path))
    with Clone(path) as clone:
        return join(merged_pull(base, head, **fields), clone, LIMITS)


def reason(work: Work, *commits: str, **fields) -> str:
    with pytest.raises(Unusable) as error:
        plain_join(work, *commits, **fields)
    return error.value.reason


def summary(item: Joined) -> tuple[str, str, list[str], list[str]]:
    pull = item.pull_request
    return pull.merge_base, pull.head_sha, [commit.sha for commit in pull.commits], pull.flags


def assert_patch(work: Work, item: Joined, old: str, new: str) -> None:
    assert item.pull_request.oracle_diff.encode() == run_git(work.folder, *DIFF, old, new)


def test_pitfall_11_a_squashed_head_is_in_a_mirror_and_missing_from_a_plain_clone(work, base):
    commits = steps(work, base, "2\n", "3\n")
    moved = work.commit({"b.py": "2\n"}, base)
    squashed = work.commit({"a.py": "3\n"}, moved)
    counts = {"commits": 2, "changed_files": 1, "additions": 1, "deletions": 1, "merge_commit_sha": squashed}
    found = plain_join(work, base, commits[-1], squashed, **counts)
    assert summary(found) == (moved, squashed, [squashed], ["head_from_merge_commit"])
    assert_patch(work, found, moved, squashed)
    whole = join_mirror(work, base, commits[-1], **counts)
    assert summary(whole) == (base, commits[-1], commits, [])
    assert_patch(work, whole, base, commits[-1])


def test_pitfall_11_rebased_commits_are_told_from_a_squashed_one_by_the_counts(work, base):
    commits = steps(work, base, "2\n", "2\n3\n", "2\n3\n4\n")
    moved = work.commit({"b.py": "2\n"}, base)
    rebased = steps(work, moved, "2\n", "2\n3\n", "2\n3\n4\n")
    counts = {"commits": 3, "changed_files": 1, "additions": 3, "deletions": 1, "merge_commit_sha": rebased[-1]}
    found = plain_join(work, base, commits[-1], rebased[-1], **counts)
    assert summary(found) == (moved, rebased[-1], rebased, ["head_from_rebased_commits"])
    assert_patch(work, found, moved, rebased[-1])


@pytest.mark.parametrize(
    "counts", [{}, {"commits": 3}, {"commits": 3, "changed_files": 1, "additions": 9, "deletions": 1}]
)
def test_pitfall_11_what_may_be_squash_or_rebase_is_not_guessed(work, base, counts):
    commits = steps(work, base, "2\n", "2\n3\n", "2\n3\n4\n")
    rebased = steps(work, work.commit({"b.py": "2\n"}, base), "2\n", "2\n3\n", "2\n3\n4\n")
    assert reason(work, base, commits[-1], rebased[-1], **counts, merge_commit_sha=rebased[-1]) == "ambiguous_merge"


def test_a_single_commit_is_the_same_squashed_or_rebased(work, base):
    [head] = steps(work, base, "2\n")
    merged = work.commit({"a.py": "2\n", "b.py": "fixed on the way\n"}, base)
    found = plain_join(work, base, head, merged, commits=1, changed_files=1, merge_commit_sha=merged)
    assert summary(found) == (base, merged, [merged], ["head_from_merge_commit", "count_mismatch:changed_files"])


def test_a_merge_knows_its_head(work, base):
    commits = steps(work, base, "2\n", "3\n")
    moved = work.commit({"b.py": "2\n"}, base)
    merge = work.commit({"a.py": "3\n"}, moved, commits[-1])
    found = plain_join(work, base, LOST, merge, commits=2, merge_commit_sha=merge)
    assert summary(found) == (base, commits[-1], commits, ["head_from_merge_parent"])
    assert_patch(work, found, base, commits[-1])


def test_a_lost_base_is_the_merges_other_parent(work, base):
    commits = steps(work, base, "2\n", "3\n")
    moved = work.commit({"b.py": "2\n"}, base)
    merge = work.commit({"a.py": "3\n"}, moved, commits[-1])
    found = plain_join(work, LOST, commits[-1], merge, merge_commit_sha=merge)
    assert summary(found) == (base, commits[-1], commits, ["base_from_merge_commit"])
    (work.folder.parent / "plain.git").rename(work.folder.parent / "first")
    assert reason(work, LOST, commits[0], merge, merge_commit_sha=merge) == "ambiguous_merge"


def test_a_lost_base_is_found_by_the_counts_or_not_at_all(work, base):
    commits = steps(work, base, "2\n", "2\n3\n")
    counts = {"commits": 2, "changed_files": 1, "additions": 2, "deletions": 1}
    found = plain_join(work, LOST, commits[-1], commits[-1], **counts)
    assert summary(found) == (base, commits[-1], commits, ["base_from_commit_count"])
    for wrong in (counts | {"additions": 3}, counts | {"commits": 1}, counts | {"commits": 3}, {"commits": 2}):
        (work.folder.parent / "plain.git").rename(work.folder.parent / str(wrong))
        assert reason(work, LOST, commits[-1], commits[-1], **wrong) == "missing_commit"


@pytest.mark.parametrize("merge_commit", ["", LOST, "HEAD", "--all"])
def test_nothing_stands_in_for_a_head_without_a_merge_commit(work, base, merge_commit):
    assert reason(work, base, LOST, base, commits=1, merge_commit_sha=merge_commit) == "missing_commit"


def test_a_merge_of_three_branches_is_not_guessed(work, base):
    sides = [work.commit({f"{n}.py": "x\n"}, base) for n in range(3)]
    merge = work.commit({"0.py": "x\n"}, *sides)
    assert reason(work, base, LOST, merge, commits=1, merge_commit_sha=merge) == "ambiguous_merge"


@pytest.mark.parametrize("sha", ["", "HEAD", "a" * 39, "A" * 40, "a" * 40 + "\n", "--upload-pack=x", "../../x"])
def test_what_is_no_sha_never_reaches_git(work, base, sha):
    with Clone(mirror(work, base)) as clone:
        for pull in (merged_pull(base, sha), merged_pull(sha, base)):
            with pytest.raises(Unusable) as error:
                join(pull, clone, LIMITS)
            assert error.value.reason == "bad_sha"


def test_histories_without_a_common_commit(work, base):
    with pytest.raises(Unusable) as error:
        join_mirror(work, base, work.commit({"z.py": "1\n"}))
    assert error.value.reason == "no_merge_base"


def test_merge_bases_and_commits_equal_gits(work):
    root = work.commit({"a": "0"})
    side = [root]
    for n in range(4):
        side.append(work.commit({"s": str(n)}, side[-1]))
    main = [root]
    for n in range(3):
        main.append(work.commit({"m": str(n)}, main[-1]))
    merged = work.commit({"s": "x"}, side[2], main[2])
    cross = work.commit({"m": "y"}, main[2], side[2])
    pairs = [(root, merged), (root, side[4]), (main[3], side[4]), (main[3], merged), (merged, cross)]
    pairs += [(merged, merged), (side[4], root)]
    with Clone(mirror(work, side[-1], main[-1], merged, cross)) as clone:
        for base, head in pairs:
            expected = work.git("merge-base", base, head)
            listed = work.git("rev-list", "--reverse", "--topo-order", f"{expected}..{head}").split()
            assert fork_point(clone, base, head) == (expected, listed)


def test_the_first_of_many_commits_are_kept_and_all_are_counted(work, base):
    stream, parent, count = [], base, MAX_WALK + 3
    for n in range(count):
        stream.append(
            f"commit refs/heads/long\nmark :{n + 1}\ncommitter a <a@b> 1500000000 +0000\ndata 1\nx\n"
            f"from {parent}\nM 100644 inline a.py\ndata 4\n{n:03d}\n\n"
        )
        parent = f":{n + 1}"
    work.git("fast-import", "--quiet", stdin="".join(stream).encode())
    head = work.git("rev-parse", "refs/heads/long")
    item = join_mirror(work, base, head, commits=count)
    listed = work.git("rev-list", "--reverse", f"{base}..{head}").split()
    assert summary(item) == (base, head, listed[:MAX_WALK], ["commits_truncated"])
