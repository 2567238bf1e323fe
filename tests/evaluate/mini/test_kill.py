"""Agentless Mini is killed in the middle of a step, and ends with the same bytes all the same."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import mini_runs
from killing import kill_main
from mini_runs import MANY, MiniRun, ScriptedSampler, answer


@pytest.fixture(scope="module")
def undisturbed(world: Any, tmp_path_factory: Any) -> dict[str, bytes]:
    run = MiniRun(tmp_path_factory.mktemp("undisturbed"), world.laptop)
    run(ScriptedSampler(answer), *MANY)
    return run.files()


def _kill_at(root: Path, world: Any, step: str, count: int) -> None:
    command = [sys.executable, mini_runs.__file__, str(root), str(world.laptop), step, str(count)]
    with (root / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while not (root / "stopped").exists():
            assert process.poll() is None and time.monotonic() < deadline, (root / "log").read_text()
            time.sleep(0.05)
        kill_main(process)


@pytest.mark.slow
def test_a_kill_amid_repair_loses_the_chunk_under_way_alone(world: Any, tmp_path: Path, undisturbed: Any) -> None:
    """Asked for at once are 32 samples, then 8 and 32 of the next instance twice; the 90th answer is of the last."""
    run, sampler = MiniRun(tmp_path, world.laptop), ScriptedSampler(answer)
    _kill_at(tmp_path, world, "repair", 90)
    assert len((tmp_path / "work" / "repair.jsonl").read_bytes().splitlines()) == 1 + 72
    run(sampler, *MANY, "rows=32")
    assert run.files() == undisturbed
    asked = {step: sum(count for name, count, _ in sampler.calls if name == step) for step in ("localise", "repair")}
    assert asked == {"localise": 0, "repair": 48}


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 30])
def test_a_kill_amid_the_tests_loses_the_execution_under_way_alone(
    world: Any, tmp_path: Path, undisturbed: Any, count: int
) -> None:
    _kill_at(tmp_path, world, "run", count)
    run, sampler = MiniRun(tmp_path, world.laptop), ScriptedSampler(answer)
    run(sampler, *MANY)
    assert run.files() == undisturbed and sampler.calls == []
    whole = MiniRun(tmp_path / "other", world.laptop)
    whole(ScriptedSampler(answer), *MANY)
    assert count < whole.executed == run.executed + count - 1
