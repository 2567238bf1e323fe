import pytest

from crawl.world import Work
from openswerl.crawl.clone import Clone
from openswerl.relate import Query, Tree
from openswerl.relate import signals as module
from openswerl.relate.signals import cochange, nearness, signals


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a.py", "b.py", 1),
        ("d/a.py", "d/b.py", 1),
        ("a.py", "d/b.py", 1 / 2),
        ("d/e/a.py", "d/f/b.py", 2 / 3),
        ("d/a.py", "e/f/b.py", 1 / 3),
    ],
)
def test_nearness(one, other, expected):
    assert nearness(one, other) == nearness(other, one) == pytest.approx(expected)


def test_co_change_is_a_share_of_the_commits_that_touch_a_changed_file():
    history = [frozenset("ab"), frozenset("ac"), frozenset("bc"), frozenset("a"), frozenset("abd")]
    assert cochange(["a"], history) == {"a": 1, "b": 0.5, "c": 0.25, "d": 0.25}
    assert cochange(["z"], history) == {}


def test_words_of_the_description_and_of_the_changed_files_count(tree, cfg):
    def words(title, *changed):
        return {item.path: item.words for item in signals(Query(title, "", changed), tree, cfg)}

    assert words("", "a.unheard") == {}
    assert words("far AWAY", "pkg/new.py")["far/away/other.py"] == 1.0 > words("", "pkg/new.py")["far/away/other.py"]
    assert words("", "pkg/util.py")["pkg/core.py"] == 1.0, "it shares util with the file's path"


def test_a_big_tree_is_read_in_part(tree, cfg, monkeypatch):
    monkeypatch.setattr(module, "MAX_READ", 2)
    found = {item.path: item for item in signals(Query("core", "", ("pkg/core.py",)), tree, cfg)}
    assert len(found) == 7
    assert found["pkg/util.py"].imports == ("imported by pkg/core.py",), "the changed file is always read"
    assert found["pkg/notes.py"].together == 1
    assert sum(bool(item.words) for item in found.values()) <= 2
    assert found["far/away/other.py"].near > 0


def test_the_future_is_not_seen(tmp_path, cfg):
    """The same base in two repositories, one with a future that tells what belongs together."""
    found = []
    for name in ("past", "future"):
        work = Work(tmp_path / name)
        base = work.commit({"a.py": "x = 1\n", "b.py": "y = 1\n", "c.py": "z = 1\n"})
        if name == "future":
            later = work.commit({"a.py": "import c\nx = 2\n", "c.py": "import a\nz = 2\n"}, base)
            work.git("update-ref", "refs/heads/main", later)
        else:
            work.git("update-ref", "refs/heads/main", base)
        with Clone(work.mirror(tmp_path / f"{name}.git")) as clone:
            found.append(signals(Query("x", "", ("a.py",)), Tree(clone, base), cfg))
    assert found[0] == found[1]
    assert {item.path for item in found[0]} == {"b.py", "c.py"}
