from typing import Any

import pytest

from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.testfiles import is_test_file, rank_tests, subject


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("tests/test_core.py", "core"),
        ("pkg/core_test.go", "core"),
        ("src/test/java/CoreTest.java", "core"),
        ("src/test/java/TestCore.java", "core"),
        ("web/core.spec.ts", "core"),
        ("spec/core_spec.rb", "core"),
        ("sympy/core/tests/test_core.py", "core"),
        ("tests/admin/tests.py", ""),
        ("tests/test_core2.py", "core2"),
    ],
)
def test_a_test_file_is_named_after_its_module(path: str, about: str) -> None:
    assert is_test_file(path) and subject(path) == about


@pytest.mark.parametrize(
    "path",
    [
        "tests/conftest.py",
        "tests/__init__.py",
        "tests/helpers.py",
        "tests/latest.py",
        "tests/test_data.json",
        "core.py",
    ],
)
def test_helpers_and_data_are_no_tests(path: str) -> None:
    assert not is_test_file(path)


FILES = {
    "pkg/core.py": "def add(a, b):\n    return a - b\n",
    "pkg/other.py": "x = 1\n",
    "tests/test_core.py": "def test_a():\n    pass\n",
    "tests/test_all.py": "from pkg import core\n",
    "tests/test_words.py": "def test_rounding_of_money():\n    pass\n",
    "tests/test_rest.py": "from pkg import other\n",
    "other/test_core.py": "def test_b():\n    pass\n",
}


@pytest.fixture
def tree(own_world: Any) -> Any:
    told = {key: own_world.rows[0][key] for key in ("split", "problem_statement", "FAIL_TO_PASS")}
    own_world.add("acme/tests", FILES, {"pkg/core.py": "x\n"}, {"t.py": "x\n"}, instance_id="acme__tests-1", **told)
    own_world.rows.insert(0, own_world.rows.pop())
    own_world.write()
    with Bases(own_world.sources()) as bases:
        yield bases.tree(own_world.problems()[0].task)


def test_names_come_before_imports_and_imports_before_words(tree: Any) -> None:
    ranked = rank_tests("rounding of money is wrong", ["pkg/core.py"], tree)
    assert ranked == ["other/test_core.py", "tests/test_core.py", "tests/test_all.py", "tests/test_words.py"]
    assert rank_tests("rounding of money is wrong", [], tree) == ["tests/test_words.py"]
    assert rank_tests("zzz", ["pkg/other.py"], tree) == ["tests/test_rest.py"]


def test_of_many_test_files_those_by_name_and_folder_are_read(tree: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("openswerl.evaluate.mini.testfiles.MAX_READ", 1)
    assert rank_tests("rounding of money", ["tests/core.py"], tree) == ["tests/test_core.py"]
