import pytest
from omegaconf import OmegaConf

from openswerl.crawl.clone import Clone
from openswerl.errors import UserError
from openswerl.relate import Tree, predict, rank
from openswerl.relate.ranking import is_test, nearness


@pytest.fixture
def tree(work):
    """A package in which core.py is imported by api.py and imports util.py, and changes together with notes.py."""
    root = work.commit({
        "pkg/core.py": "from pkg.util import f\n", "pkg/util.py": "def f(): pass\n", "pkg/api.py": "import pkg.core\n",
        "pkg/notes.py": "# notes\n", "far/away/other.py": "x = 1\n", "tests/test_core.py": "import pkg.core\n",
        "pkg/empty.py": "", "pkg/data.json": "{}\n", "README.md": "import pkg.core\n",
        "pkg/bad.py": b"import pkg.core\n\xff",
        "pkg/big.py": "import pkg.core\n" + "#" * 30_000,
    })  # fmt: skip
    commit = work.commit({"pkg/core.py": "from pkg.util import f\n# 1\n", "pkg/notes.py": "# 2\n"}, root)
    work.git("update-ref", "refs/heads/main", commit)
    with Clone(work.mirror(work.folder.parent / "clone.git")) as clone:
        yield Tree(clone, commit)


def with_(cfg, **values):
    return OmegaConf.merge(cfg, values)


def test_imports_outrank_co_change_which_outranks_nearness(tree, cfg):
    found = {file.path: file for file in rank(["pkg/core.py"], tree, cfg)}
    order = list(found)
    importers, together, near, far = (
        {"pkg/api.py", "pkg/big.py", "pkg/util.py"},
        "pkg/notes.py",
        "pkg/empty.py",
        "far/away/other.py",
    )
    assert set(order[:3]) == importers
    assert order.index(together) < order.index(near) < order.index(far)
    assert found["pkg/util.py"].reasons[0] == "imported by pkg/core.py"
    assert found["pkg/api.py"].reasons[0] == "imports pkg/core.py"
    assert found[together].reasons == ("changed together 1.00", "path 1.00")
    assert found[far].reasons[-1] == "path 0.33"


def test_only_unchanged_code_of_the_same_language_and_no_tests(tree, cfg):
    paths = [file.path for file in rank(["pkg/core.py"], tree, cfg)]
    assert not {"pkg/core.py", "pkg/data.json", "README.md", "tests/test_core.py"} & set(paths)
    assert "tests/test_core.py" in [file.path for file in rank(["pkg/core.py"], tree, with_(cfg, include_tests=True))]
    assert [file.path for file in rank(["README.md"], tree, cfg)] == []


def test_limits(tree, cfg):
    changed = ["pkg/core.py"]
    assert len(predict(changed, tree, cfg)) == cfg.max_files == 1
    everything = predict(changed, tree, with_(cfg, max_files=99, max_bytes=1_000_000))
    assert set(everything) == {"pkg/api.py", "pkg/big.py", "pkg/util.py", "pkg/notes.py", "far/away/other.py"}
    small = predict(changed, tree, with_(cfg, max_files=99, max_bytes=40))
    assert sum(len(tree.text(path)) for path in small) <= 40
    assert "pkg/big.py" not in small and len(small) >= 2
    assert predict(changed, tree, with_(cfg, max_files=0)) == []


def test_the_ranking_is_the_same_again_and_ties_go_by_path(tree, cfg):
    one, two = (rank(["pkg/core.py"], Tree(tree.clone, tree.commit), cfg) for _ in range(2))
    assert one == two == sorted(one, key=lambda file: (-file.score, file.path))


def test_several_changed_files(tree, cfg):
    found = rank(["pkg/util.py", "pkg/notes.py"], tree, cfg)
    assert found[0].path == "pkg/core.py"
    assert "imports pkg/util.py" in found[0].reasons


def test_a_new_file_has_no_past_and_is_ranked_all_the_same(tree, cfg):
    assert predict(["pkg/new.py", "pkg/util.py"], tree, cfg) == ["pkg/core.py"]


def test_unknown_predictor(tree, cfg):
    with pytest.raises(UserError, match=r"relate\.predictor=crystal is unknown; there are: static"):
        predict(["pkg/core.py"], tree, with_(cfg, predictor="crystal"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/x.py", True),
        ("pkg/tests/x.py", True),
        ("test_x.py", True),
        ("x_test.go", True),
        ("a/x.spec.ts", True),
        ("src/FooTest.java", True),
        ("conftest.py", True),
        ("__tests__/a.js", True),
        ("testing.py", False),
        ("contest.py", False),
        ("latest.py", False),
        ("attestation/x.py", False),
        ("pkg/test.py", False),
    ],
)
def test_what_is_a_test(path, expected):
    assert is_test(path) is expected


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
