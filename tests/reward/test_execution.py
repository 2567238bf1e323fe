"""The tests of a real repository, run in the real sandbox on real answers."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from openswerl.edits import Block, render
from openswerl.errors import UserError
from openswerl.records import Instance, SourceFile
from openswerl.reward import Score, ScorePool, call_of, gate

BUGGY = "def add(a, b):\n    return a - b\n\n\ndef two():\n    return 3\n\n\ndef name():\n    return 'calc'\n"
FIXED = BUGGY.replace("a - b", "a + b").replace("3", "2")
TESTS = (
    "from calc.core import add, name, two\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\n"
    "def test_two():\n    assert two() == 2\n\n\ndef test_name():\n    assert name() == 'calc'\n\n\n"
    "def test_absent():\n    import a_module_that_is_not_installed\n"
)
ADD, TWO = (
    Block("calc/core.py", "    return a - b", "    return a + b"),
    Block("calc/core.py", "    return 3", "    return 2"),
)


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones")
    work = folder / "work"
    for path, text in {"calc/__init__.py": "", "calc/core.py": BUGGY, "tests/test_core.py": TESTS}.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "x")
    git(folder, "clone", "-q", "--bare", str(work), str(folder / "acme__calc.git"))
    return folder


def instance(clones: Path, new: dict[str, str], old: dict[str, str] | None = None) -> Instance:
    old = {"calc/core.py": BUGGY} if old is None else old
    before, after = ([SourceFile(*item) for item in files.items()] for files in (old, new))
    commit = git(clones / "acme__calc.git", "rev-parse", "main")
    return Instance("acme__calc-1", "acme/calc", commit, "add is wrong", before, [], after, "")


@pytest.fixture(scope="module")
def options(clones: Path) -> dict[str, Any]:
    sandbox = "bubblewrap" if shutil.which("bwrap") else "process"
    return {"clones": str(clones), "sandbox": sandbox, "test_timeout_s": 2}


@pytest.fixture(scope="module")
def rewards(options: dict[str, Any]) -> Iterator[ScorePool]:
    with ScorePool("execution", options=options, time_limit_s=60) as pool:
        yield pool


def run(rewards: ScorePool, one: Instance, *blocks: Block) -> Score:
    return rewards.score_many([call_of(one, render("why", blocks))])[0]


def test_the_share_of_tests_that_pass_counts_those_that_can(rewards: ScorePool, clones: Path) -> None:
    """Four tests, of which one fails under the oracle too; the unpatched base passes one of the three."""
    one = instance(clones, {"calc/core.py": FIXED})
    assert run(rewards, one, ADD, TWO) == Score(1.0)
    assert run(rewards, one, ADD) == run(rewards, one, TWO) == Score(2 / 3)
    assert run(rewards, one, Block("calc/core.py", "    return 'calc'", "    return 'clac'")) == Score(0.0)
    assert run(rewards, one, Block("calc/core.py", "def add(a, b):", "def add(a, b:")) == Score(0.0)
    assert gate([one], rewards).passed == [one]


def test_the_oracle_s_version_of_a_test_file_is_run(rewards: ScorePool, clones: Path) -> None:
    new = TESTS.replace("add(2, 2) == 4", "add(2, 2) == 5")
    old = {"calc/core.py": BUGGY, "tests/test_core.py": TESTS}
    one = instance(clones, {"calc/core.py": FIXED.replace("a + b", "a + b + 1"), "tests/test_core.py": new}, old)
    assert run(rewards, one, ADD, TWO) == Score(2 / 3)
    assert gate([one], rewards).passed == [one], "the golden answer changes the tests and may"
    cheat = Block("tests/test_core.py", "    assert add(2, 2) == 4", "    pass")
    assert run(rewards, one, TWO, cheat) == Score(2 / 3), "its own version of the file is not run"


@pytest.mark.parametrize("path", ["tests/test_more.py", "conftest.py", "pytest.ini", "json.py"])
def test_an_edit_of_tests_or_of_their_settings_earns_nothing(rewards: ScorePool, clones: Path, path: str) -> None:
    one = instance(clones, {"calc/core.py": FIXED})
    assert run(rewards, one, ADD, TWO, Block(path, "", "x = 1\n")) == Score(0.0, None, {}, ("touches_tests",))


def test_tests_that_hang_are_not_scored_and_an_early_exit_passes_none(rewards: ScorePool, clones: Path) -> None:
    one = instance(clones, {"calc/core.py": FIXED})
    hangs = Block("calc/core.py", "    return a - b", "    while True:\n        pass")
    assert run(rewards, one, hangs) == Score(None, "timeout")
    leaves = Block("calc/core.py", "    return 3", "    import os\n    os._exit(0)")
    assert run(rewards, one, leaves) == Score(0.0)
    assert run(rewards, one, ADD, TWO) == Score(1.0)


def test_instances_without_a_telling_test_are_set_aside(rewards: ScorePool, clones: Path) -> None:
    one = instance(clones, {"calc/core.py": BUGGY.replace("'calc'", "'calc'  # its name")})
    assert gate([one], rewards).failed == [("acme__calc-1", "tests_do_not_tell")]
    assert gate([one, instance(clones, {"calc/core.py": FIXED})], rewards).share == 0.5


def test_the_pool_leaves_no_process_and_no_folder(options: dict[str, Any], clones: Path, tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    os.environ["TMPDIR"] = str(tmp_path)
    try:
        with ScorePool("execution", options=options, time_limit_s=60) as pool:
            assert run(pool, instance(clones, {"calc/core.py": FIXED}), ADD, TWO).reward == 1.0
    finally:
        del os.environ["TMPDIR"]
    assert set(psutil.Process().children(recursive=True)) <= before
    assert list(tmp_path.iterdir()) == []


def test_no_clone_and_no_instance_end_the_run_in_one_line(rewards: ScorePool, clones: Path) -> None:
    one = instance(clones, {"calc/core.py": FIXED})
    with pytest.raises(UserError, match=r"other__repo\.git is missing; make the clone again"):
        run(rewards, Instance("x", "other/repo", one.base_commit, "p", [], [], [], ""), Block("a.py", "", "x"))
    with pytest.raises(UserError, match="score it through"):
        rewards.score_many([({}, {}, render("t", [ADD]))])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clones": None}, r"reward\.options\.clones=None is no folder"),
        ({"sandbox": "jail"}, "sandbox=jail is unknown"),
        ({"more": 1}, "needs reward.options with clones, sandbox, test_timeout_s"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], change: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ScorePool("execution", options={**options, **change})


def test_it_can_be_a_part_of_a_weighted_sum(options: dict[str, Any], clones: Path) -> None:
    one = instance(clones, {"calc/core.py": FIXED})
    parts = {"parts": {"continuous": 0.25, "execution": 0.75}, **options}
    with ScorePool("hybrid", options=parts, time_limit_s=60) as pool:
        assert run(pool, one, ADD, TWO) == Score(1.0, None, {"calc/core.py": 1.0})
