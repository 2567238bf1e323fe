"""The docker backend with a program on PATH that behaves as docker's command line; no real engine was ever asked."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from container_engines import DOCKER, IMAGE, PATCH, PRINTS, Fake, fill, problem
from openswerl.errors import UserError
from openswerl.evaluate.backends import docker
from openswerl.evaluate.backends.docker import DockerBackend, Settings, rounds
from openswerl.evaluate.backends.engine import Engine
from openswerl.evaluate.execution.actions import Grading, Script, Suite
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.sandbox.watch import Limits

LIMIT = "toomanyrequests: You have reached your pull rate limit."


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """An engine that has the image, with a bug in its tree."""
    fake = Fake(tmp_path / "engine", "docker", DOCKER, monkeypatch)
    fill(fake.home / "testbed")
    fake.tell(here=(IMAGE,))
    return fake


def _backend(folder: Path, prune: bool = False, timeout_s: float = 60) -> DockerBackend:
    return DockerBackend(Engine(), Settings(Limits(timeout_s), 1, prune), folder / "shards")


def test_a_script_runs_in_the_root_of_the_patched_tree(fake: Fake, tmp_path: Path) -> None:
    backend = _backend(tmp_path)
    assert backend.run(problem().task, PATCH, PRINTS) == Execution("exited", 3, "4 True\n")
    for restore in (["checkout", "-q", "."], ["clean", "-fdxq"]):  # bytecode of the same second and size would stay
        subprocess.run(["git", "-C", str(fake.home / "testbed"), *restore], check=True)
    assert backend.run(problem().task, "", PRINTS) == Execution("exited", 3, "0 True\n")
    (call, _) = [call for call in fake.calls() if call[2] == "run"]
    assert call[2:5] == ["run", "--rm", "-i"] and call[7:9] == ["--network", "none"]
    assert call[-3:] == [IMAGE, "/bin/bash", "-s"]
    assert (fake.home / "conda").read_text() == "conda activate testbed\n" * 2


@pytest.mark.slow
def test_a_suite_runs_the_repository_s_own_command(fake: Fake, tmp_path: Path) -> None:
    execution = _backend(tmp_path).run(problem().task, PATCH, Suite(("test_calc.py",)))
    assert (execution.state, execution.code) == ("exited", 0) and "PASSED test_calc.py::test_add" in execution.output
    with pytest.raises(UserError, match=r"o/r 7\.0 is not in specs\.yaml"):
        _backend(tmp_path).run(replace(problem().task, repo="o/r"), "", Suite(("test_calc.py",)))


def test_a_patch_that_does_not_apply_is_told_apart(fake: Fake, tmp_path: Path) -> None:
    execution = _backend(tmp_path).run(problem().task, PATCH.replace("a - b", "a * b"), PRINTS)
    assert execution.state == "apply_failed" and "patch does not apply" in execution.output


def test_the_unpatched_base_is_graded_in_a_container(fake: Fake, tmp_path: Path) -> None:
    """The official harness never runs an empty patch."""
    execution = _backend(tmp_path).run(problem().task, "", Grading(problem().gold))
    assert (execution.state, execution.code, execution.output) == (
        "exited",
        0,
        "+ python -c 'import calc; print(calc.add(2, 2))'\n0\n+ SWEBENCH_TEST_EXIT_CODE=0\n",
    )


@pytest.mark.parametrize("told", [{"errors": {IMAGE: LIMIT}}, {}, {"registry": {IMAGE: [1]}, "errors": {IMAGE: "x"}}])
def test_an_image_that_cannot_be_had_is_never_unresolved(fake: Fake, tmp_path: Path, told: dict[str, Any]) -> None:
    fake.tell(**told)
    backend = _backend(tmp_path)
    for action in (Grading(problem().gold), PRINTS):
        assert backend.run(problem().task, PATCH, action).state == "infrastructure"
    assert not [call for call in fake.calls() if call[2] == "run"]


def test_an_engine_that_cannot_start_the_container_is_infrastructure(fake: Fake, tmp_path: Path) -> None:
    shutil.rmtree(fake.home / "testbed")
    assert _backend(tmp_path).run(problem().task, PATCH, PRINTS).state == "infrastructure"


@pytest.mark.slow
def test_a_container_that_is_late_is_killed_by_name(fake: Fake, tmp_path: Path) -> None:
    execution = _backend(tmp_path, timeout_s=2).run(problem().task, "", Script("import time\ntime.sleep(60)\n"))
    run, kill = [call for call in fake.calls() if call[2] in ("run", "kill")]
    assert execution.state == "timeout" and kill[3] == run[run.index("--name") + 1]


def test_all_images_are_looked_for_before_anything_runs(fake: Fake, tmp_path: Path) -> None:
    fake.tell(here=(IMAGE,), registry={"b": [1]}, errors={"c": LIMIT})
    problems = [problem(), problem("x-2", "b"), problem("x-3", "b"), problem("x-4", "c"), problem("x-5", "d")]
    lost = _backend(tmp_path).prepare(problems)
    assert lost == {"c": LIMIT, "d": "no such manifest: docker.io/d"}
    assert not [call for call in fake.calls() if call[2] in ("pull", "run")]
    fake.tell(registry={"b": [1 << 60]})
    with pytest.raises(UserError, match="the images need about"):
        _backend(tmp_path).prepare(problems)


def test_gradings_go_to_the_official_harness_in_shards(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pruning, no more images at once than workers; only what was pulled here is removed."""
    shards = []

    def record(shard: Any, *_: Any) -> list[Execution]:
        shards.append([(gold.instance_id, patch) for gold, patch in zip(shard.golds, shard.patches, strict=True)])
        fake.tell(here=(IMAGE, "b"), registry={"b": [1]})
        return [Execution("exited", 0, patch) for patch in shard.patches]

    monkeypatch.setattr(docker, "run_shard", record)
    fake.tell(here=(IMAGE,), registry={"b": [1]})
    one, two, lost = problem(), problem("x-2", "b"), problem("x-3", "absent")
    wanted = [(one.gold, "p"), (two.gold, "q"), (one.gold, "r"), (lost.gold, "s")]
    found = _backend(tmp_path).grade_all(wanted)
    assert [execution.output for execution in found[:3]] == ["p", "q", "r"] and found[3].state == "infrastructure"
    assert shards == [[("pytest-dev__pytest-1", "p"), ("x-2", "q")], [("pytest-dev__pytest-1", "r")]]
    shards.clear()
    fake.tell(here=(IMAGE,), registry={"b": [1]})
    _backend(tmp_path, prune=True).grade_all(wanted)
    assert [len(shard) for shard in shards] == [1, 1, 1] and fake.here() == [IMAGE, "b"]
    assert {call[-1] for call in fake.calls() if call[2:4] == ["image", "rm"]} == {"b"}


def test_the_environment_is_the_image_s_id(fake: Fake, tmp_path: Path) -> None:
    task, backend = problem().task, _backend(tmp_path)
    assert "sha256:0123" in backend.environment(task) and backend.kind == "docker"
    assert backend.environment(task) != _backend(tmp_path, timeout_s=7).environment(task)


def test_no_round_has_an_instance_twice() -> None:
    assert list(rounds(["a", "a", None, "b", "a"], None)) == [[0, 3], [1], [4]]
    assert list(rounds(["a", "b", "c"], 2)) == [[0, 1], [2]] and list(rounds([None], 1)) == []


def test_an_image_that_was_pulled_goes_when_another_is_run(fake: Fake, tmp_path: Path) -> None:
    fake.tell(here=(IMAGE,), registry={"b": [1], "c": [1]})
    backend = _backend(tmp_path, prune=True)
    for image in ("b", "b", "c", IMAGE):
        assert backend.run(problem(image=image).task, "", PRINTS).state == "exited"
    pulls_and_removals = [call[-1] for call in fake.calls() if call[2] == "pull" or call[2:4] == ["image", "rm"]]
    assert pulls_and_removals == ["b", "b", "c", "c"] and fake.here() == [IMAGE]


def test_each_attempt_is_another_shard(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness runs nothing of which it has a report, so a repeat needs a place of its own."""
    names = []

    def record(shard: Any, *_: Any) -> list[Execution]:
        names.append(shard.name)
        return [Execution("exited", 0, "")]

    monkeypatch.setattr(docker, "run_shard", record)
    cached = Cached(_backend(tmp_path), Store(tmp_path / "kept"))
    for attempt in (0, 0, 1):
        cached.run(problem().task, PATCH, Grading(problem().gold), attempt)
    assert len(names) == len(set(names)) == 2
