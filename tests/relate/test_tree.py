import pytest

from crawl.world import Work, run_git
from openswerl.crawl.clone import Clone
from openswerl.crawl.git import GitError
from openswerl.relate import Tree


def open_clone(work: Work, commit: str) -> Clone:
    work.git("update-ref", "refs/heads/main", commit)
    return Clone(work.mirror(work.folder.parent / "clone.git"))


def test_files_are_those_of_git(work):
    commit = work.commit({"a.py": "1", "d/e/f.py": "2", "d.py": "3", "d/a": "4", "ü": "5", "n\nl": "6"})
    commit = work.commit({"x.sh": "7"}, commit, mode="100755")
    with_odd = work.commit({"link": "a.py"}, commit, mode="120000")
    with_odd = work.commit({"sub": "1" * 40}, with_odd, mode="160000")
    listed = run_git(work.folder, "ls-tree", "-r", "-z", commit).decode().split("\0")[:-1]
    with open_clone(work, with_odd) as clone:
        assert Tree(clone, with_odd).blobs == {line.split("\t")[1]: line.split()[2] for line in listed}
        assert list(Tree(clone, with_odd).blobs) == sorted(Tree(clone, with_odd).blobs)


def test_text(work):
    commit = work.commit({"a.py": "é\r\n", "b.bin": b"a\0b", "c.txt": b"caf\xe9"})
    with open_clone(work, commit) as clone:
        tree = Tree(clone, commit)
        assert [tree.text(path) for path in ("a.py", "b.bin", "c.txt", "none.py", "")] == [
            "é\r\n",
            None,
            None,
            None,
            None,
        ]


def test_history_is_newest_first_and_ends_at_the_commit(work):
    first = work.commit({"a": "1", "b": "1"})
    second = work.commit({"b": "2", "n\nl": "x"}, first)
    wide = work.commit({f"w{n}": "x" for n in range(31)}, second)
    side = work.commit({"s": "1"}, first)
    merge = work.commit({"s": "1"}, wide, side)
    later = work.commit({"z": "1"}, merge)
    with open_clone(work, later) as clone:
        history = Tree(clone, merge).history(10)
        assert sorted(map(sorted, history)) == [["a", "b"], ["b", "n\nl"], ["s"]]
        assert history[-1] == {"a", "b"}
        assert Tree(clone, first).history(10) == [{"a", "b"}]
        assert Tree(clone, second).history(1) == [{"b", "n\nl"}]


def test_a_missing_commit_is_told(work):
    commit = work.commit({"a": "1"})
    with open_clone(work, commit) as clone, pytest.raises(GitError) as error:
        Tree(clone, "1" * 40)
    assert error.value.reason == "missing_object"
