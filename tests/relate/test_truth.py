import pytest

from crawl.world import DATES, Work
from openswerl.crawl.clone import Clone
from openswerl.relate.truth import LATER_COMMITS, later_changes, truth
from relate.seeds import seed

MERGED = "2017-07-14T02:40:00Z"  # the second of every commit of tests/crawl/world.py


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path / "work")


def history(work: Work):
    """A pull request changes a.py and is merged; later commits change a.py with b.py, c.py alone, a.py with d.py."""
    base = work.commit({name: "1\n" for name in ("a.py", "b.py", "c.py", "d.py", "e.py")})
    head = work.commit({"a.py": "2\n"}, base, ref="refs/pull/1/head")
    merge = work.commit({"a.py": "2\n"}, base, head)
    later = work.commit({"a.py": "3\n", "b.py": "2\n"}, merge)
    later = work.commit({"c.py": "2\n"}, later)
    later = work.commit({"a.py": "4\n", "d.py": "2\n"}, later)
    work.git("update-ref", "refs/heads/main", later)
    work.commit({"a.py": "5\n", "e.py": "2\n"}, later, ref="refs/pull/2/head")
    return base, head, merge


def test_the_truth_is_what_later_commits_changed_together(work, tmp_path):
    base, head, merge = history(work)
    with Clone(work.mirror(tmp_path / "clone.git")) as clone:
        pull = seed(clone, 1, base, head, merged_at=MERGED, merge_commit_sha=merge)
        assert later_changes(pull, clone) == [{"a.py", "b.py"}, {"a.py", "d.py"}]
        assert truth(pull, clone, ["b.py", "c.py", "e.py"]) == {"b.py"}, (
            "of the candidates; unmerged branches say nothing"
        )
        assert DATES["GIT_COMMITTER_DATE"].startswith("1500000000")


def test_the_pull_request_itself_tells_nothing(work, tmp_path):
    """Not its own commits, and not what came before them."""
    root = work.commit({"a.py": "0\n", "b.py": "0\n"})
    base = work.commit({"a.py": "1\n", "b.py": "1\n"}, root)
    head = work.commit({"a.py": "2\n", "new.py": "n\n"}, base, ref="refs/pull/1/head")
    squashed = work.commit({"a.py": "2\n", "new.py": "n\n"}, base)
    work.git("update-ref", "refs/heads/main", squashed)
    with Clone(work.mirror(tmp_path / "clone.git")) as clone:
        known = seed(clone, 1, base, head, merged_at=MERGED, merge_commit_sha=squashed)
        unknown = seed(clone, 1, base, head, merged_at=MERGED, merge_commit_sha="1" * 40)
        assert later_changes(known, clone) == []
        assert truth(unknown, clone, ["b.py"]) == set()


def test_commits_before_the_merge_do_not_count(work, tmp_path):
    base, head, _ = history(work)
    with Clone(work.mirror(tmp_path / "clone.git")) as clone:
        assert later_changes(seed(clone, 1, base, head, merged_at="2017-07-14T02:40:01Z"), clone) == []


@pytest.mark.slow
def test_only_the_next_commits_count(work, tmp_path):
    base, head, merge = history(work)
    tip = merge
    for number in range(LATER_COMMITS + 5):
        tip = work.commit({"a.py": f"{number}\n", f"b{number}.py": "\n"}, tip)
    work.git("update-ref", "refs/heads/main", tip)
    with Clone(work.mirror(tmp_path / "clone.git")) as clone:
        found = later_changes(seed(clone, 1, base, head, merged_at=MERGED), clone)
    assert [sorted(change)[1] for change in found] == [f"b{number}.py" for number in range(LATER_COMMITS)]


def test_a_path_with_pathspec_magic_is_a_path(work, tmp_path):
    base = work.commit({":(top)*.py": "1\n", "b.py": "1\n", "c.py": "1\n"})
    head = work.commit({":(top)*.py": "2\n"}, base, ref="refs/pull/1/head")
    later = work.commit({"b.py": "2\n", "c.py": "2\n"}, head)
    work.git("update-ref", "refs/heads/main", later)
    with Clone(work.mirror(tmp_path / "clone.git")) as clone:
        assert later_changes(seed(clone, 1, base, head, merged_at=MERGED), clone) == []
