"""The call of the official harness: its own command line, and what is read of the folder that it leaves."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.backends import shard as shards
from openswerl.evaluate.backends.engine import Engine
from openswerl.evaluate.backends.shard import Shard, evaluation_command, read_instance, run_shard

HARNESS = r"""
import json, os, pathlib, sys
name = sys.argv[1]
for line in open("predictions.jsonl"):
    row = json.loads(line)
    place = pathlib.Path("logs/run_evaluation", name, row["model_name_or_path"], row["instance_id"])
    place.mkdir(parents=True)
    if row["model_patch"] == "passes\n":
        log = "+ : '>>>>> Start Test Output'\nPASSED a\n+ : '>>>>> End Test Output'\n>>>>> Test Exit Code: 0\n"
        (place / "test_output.txt").write_text(log)
    if row["model_patch"] == "forged\n":  # printed by an install, as the script's last words
        (place / "test_output.txt").write_text("Test Script:\nPASSED a\n>>>>> Patch Apply Failed\n")
    if row["model_patch"] == "refused\n":
        (place / "run_instance.log").write_text(">>>>> Patch Apply Failed:\nerror: x\n")
print("All instances run.")
"""


def _shard(world: Any, *patches: str) -> Shard:
    return Shard([problem.gold for problem in world.problems()][: len(patches)], patches)


@pytest.mark.slow
def test_the_official_command_line_takes_our_words() -> None:
    """Its own parser says so: only the run itself needs an engine."""
    command = evaluation_command("run", 4, 1800)
    flags = [word for word in command if word.startswith("--")]
    told = subprocess.run([*command[:3], "--help"], capture_output=True, text=True, check=True).stdout
    assert command[:3] == [sys.executable, "-m", "swebench.harness.run_evaluation"]
    assert len(flags) == 7 and all(flag in told for flag in flags)


def test_a_shard_s_name_is_of_its_patches_and_rows(world: Any, own_world: Any) -> None:
    own_world.rows[0]["version"] = "2"
    own_world.write()
    shards = [_shard(world, "p"), _shard(world, "q"), _shard(own_world, "p"), _shard(world, "p", "q")]
    assert len({shard.name for shard in shards}) == 4 and _shard(world, "p").name == _shard(world, "p\n").name
    assert dataclasses.replace(shards[0], attempt=1).name != shards[0].name


def test_each_fate_is_read_of_the_folder(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "evaluation_command", lambda name, *_: [sys.executable, "-c", HARNESS, name])
    shard = _shard(world, "passes", "refused", "lost")
    found = run_shard(shard, Engine(), tmp_path, workers=2, timeout_s=60)
    assert [execution.state for execution in found] == ["exited", "apply_failed", "infrastructure"]
    assert found[0].code == 0 and found[0].output == "PASSED a\n" and found[2].output == "All instances run."
    place = tmp_path / shard.name
    rows = [json.loads(line) for line in (place / "rows.jsonl").read_text().splitlines()]
    assert rows == [gold.row for gold in shard.golds] and (place / "run_evaluation.log").exists()


def test_a_harness_that_hangs_is_ended_with_all_that_it_started(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = tmp_path / "pid"
    command = ["bash", "-c", f"sleep 100 & echo $! >{alive}; wait"]
    monkeypatch.setattr(shards, "evaluation_command", lambda *_: command)
    monkeypatch.setattr(shards, "SLACK_S", 1)
    started = time.monotonic()
    found = run_shard(_shard(world, "p"), Engine(), tmp_path, workers=1, timeout_s=0)
    assert found[0].state == "infrastructure" and "took over 1 s" in found[0].output
    assert time.monotonic() - started < 30
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(int(alive.read_text()), 0)
            time.sleep(0.05)


@pytest.mark.slow
def test_the_official_harness_without_an_engine_is_infrastructure(world: Any, tmp_path: Path) -> None:
    found = run_shard(_shard(world, "p"), Engine("docker", f"unix://{tmp_path}/absent.sock"), tmp_path, 1, 60)
    assert found[0].state == "infrastructure" and "DockerException" in found[0].output


def test_the_harness_stops_podman_s_containers_by_the_name_docker(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "podman").write_text('#!/bin/sh\necho "podman got $* at $DOCKER_HOST"\n')
    (tmp_path / "bin" / "podman").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(shards, "evaluation_command", lambda *_: ["docker", "stop", "x"])
    (found,) = run_shard(_shard(world, "p"), Engine("podman", "unix:///s"), tmp_path, 1, 60)
    assert found.output == "podman got stop x at unix:///s"


def test_what_the_tests_said_comes_before_what_the_harness_said(tmp_path: Path) -> None:
    """The harness's log holds the patch, which may say anything."""
    (tmp_path / "run_instance.log").write_text("+>>>>> Patch Apply Failed\n")
    (tmp_path / "test_output.txt").write_text("+ : '>>>>> Start Test Output'\nx\n+ : '>>>>> End Test Output'\n")
    assert read_instance(tmp_path, "").state == "exited"


def test_an_old_log_is_not_read_of_a_new_run(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of the patch runs before the tests, and only logs of other people have no marks."""
    monkeypatch.setattr(shards, "evaluation_command", lambda name, *_: [sys.executable, "-c", HARNESS, name])
    (found,) = run_shard(_shard(world, "forged"), Engine(), tmp_path, workers=1, timeout_s=60)
    assert (found.state, found.code) == ("runner_lost", None)
