"""The apptainer backend by its command lines, and with a program on PATH that behaves as apptainer's."""

import shutil
import time
from pathlib import Path

import pytest

from container_engines import APPTAINER, IMAGE, PATCH, PRINTS, Fake, fill, problem
from openswerl.errors import UserError
from openswerl.evaluate.backends.apptainer import ApptainerBackend, copy_command, pull_command, run_command
from openswerl.evaluate.execution.actions import Grading, Script, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.sandbox.watch import Limits


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    fake = Fake(tmp_path / "engine", "apptainer", APPTAINER, monkeypatch)
    fill(fake.home / "testbed")
    fake.tell(registry={IMAGE: []})
    return fake


def test_the_commands() -> None:
    """As recorded from Apptainer's manual; they never ran against a real one."""
    file, tree, scratch = Path("/i/image.sif"), Path("/r/tree"), Path("/r/tmp")
    assert pull_command("a/b:latest", file) == ["apptainer", "pull", "--force", "/i/image.sif", "docker://a/b:latest"]
    assert copy_command(file, tree) == [
        "apptainer", "exec", "--contain", "--bind", "/r/tree:/copy", "/i/image.sif", "cp", "-a", "/testbed/.", "/copy/",
    ]  # fmt: skip
    assert run_command(file, tree, scratch) == [
        "apptainer", "exec", "--contain", "--cleanenv", "--pid", "--net", "--network", "none",
        "--bind", "/r/tree:/testbed", "--bind", "/r/tmp:/tmp", "--pwd", "/testbed", "/i/image.sif", "/bin/bash", "-s",
    ]  # fmt: skip


@pytest.mark.slow
def test_every_run_has_a_tree_of_its_own_and_the_image_is_got_once(fake: Fake, tmp_path: Path) -> None:
    backend = ApptainerBackend(Limits(60), tmp_path / "images")
    task, gold = problem().task, problem().gold
    assert backend.run(task, PATCH, PRINTS) == Execution("exited", 3, "4 True\n")
    assert backend.run(task, "", PRINTS) == Execution("exited", 3, "0 True\n")
    suite = backend.run(task, PATCH, Suite(("test_calc.py",)))
    assert suite.code == 0 and "PASSED test_calc.py::test_add" in suite.output
    graded = backend.run(task, PATCH, Grading(gold))
    assert (graded.state, graded.code) == ("exited", 0) and "\n4\n" in graded.output
    assert backend.run(task, PATCH.replace("a - b", "a * b"), PRINTS).state == "apply_failed"
    assert [call[2] for call in fake.calls()] == ["pull", *["exec"] * 6]
    assert not list((tmp_path / "images").glob("run-*"))


def test_an_image_that_cannot_be_had_is_never_unresolved(fake: Fake, tmp_path: Path) -> None:
    backend = ApptainerBackend(Limits(60), tmp_path / "images")
    execution = backend.run(problem(image="absent").task, PATCH, PRINTS)
    assert execution.state == "infrastructure" and "unauthorized" in execution.output
    fake.tell(registry={"absent": []})
    assert backend.run(problem(image="absent").task, PATCH, PRINTS).state == "exited", "it is asked for again"


@pytest.mark.slow
def test_a_run_that_is_late_leaves_nothing_behind(fake: Fake, tmp_path: Path) -> None:
    backend, mark = ApptainerBackend(Limits(3), tmp_path / "images"), tmp_path / "alive"
    source = f"import time\nwhile True:\n    open({str(mark)!r}, 'w').write(str(time.time()))\n    time.sleep(0.05)\n"
    assert backend.run(problem().task, "", Script(source)).state == "timeout"
    last = mark.read_text()
    time.sleep(0.5)
    assert mark.read_text() == last


def test_the_environment_and_a_missing_program(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = ApptainerBackend(Limits(60), tmp_path)
    assert IMAGE in backend.environment(problem().task) and backend.kind == "apptainer"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("apptainer") is None
    with pytest.raises(UserError, match="apptainer is not on PATH"):
        ApptainerBackend(Limits(60), tmp_path)
