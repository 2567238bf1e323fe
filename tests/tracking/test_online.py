"""Online runs against a stand-in for the server: resumed without a step twice, linked, and no key in any file."""

import json

import pytest

from openswerl.config import Cell
from tracking.stages import STEPS
from wandb_runs import KEY, run_stage

ONLINE = ("scale=smoke", "tracking.wandb=online")


@pytest.fixture
def cell(tmp_path):
    return Cell("grpo", (*ONLINE, f"results={tmp_path}"))


@pytest.mark.slow
def test_a_killed_run_goes_on_as_the_same_run(cell, tmp_path, wandb_server):
    cell.folder.mkdir(parents=True)
    (cell.folder / "die").touch()
    assert run_stage(cell, "train", tmp_path / "home", wandb_server.url).returncode == -9
    done = run_stage(cell, "train", tmp_path / "home", wandb_server.url)
    assert done.returncode == 0, done.stderr
    assert wandb_server.runs.keys() == {f"grpo-{cell.digest}"}
    run = wandb_server.runs[f"grpo-{cell.digest}"]
    assert [row["_step"] for row in run["history"]] == list(range(STEPS))
    assert [row["loss"] for row in run["history"]] == [1 / (1 + step) for step in range(STEPS)]
    assert run["summary"]["loss"] == 1 / STEPS and run["summary"]["result/steps"] == STEPS and run["finished"]
    assert (run["groupName"], run["jobType"], run["displayName"]) == ("smoke", "grpo", "grpo-continuous-seed0")
    assert json.loads(run["config"])["grpo"]["value"] == json.loads(cell.params)["config"]["grpo"]
    assert {alert["title"] for alert in wandb_server.alerts} == {f"kl at step {n + 1}" for n in range(STEPS)}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".wandb" for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stdout + done.stderr
    assert wandb_server.unknown == []


@pytest.mark.slow
def test_a_run_is_linked_to_what_it_was_made_from(cell, tmp_path, wandb_server):
    relate = cell.before[0]
    assert run_stage(relate, "summarise", tmp_path / "home", wandb_server.url).returncode == 0
    done = run_stage(cell, "summarise", tmp_path / "home", wandb_server.url)
    assert "warning" not in done.stderr
    assert wandb_server.uses == {(f"grpo-{cell.digest}", "smoke-relate")}
    assert {(f"relate-{relate.digest}", "smoke-relate"), (f"grpo-{cell.digest}", "smoke-grpo-continuous-seed0")} == {
        made for made in wandb_server.makes if "run-" not in made[1]
    }


@pytest.mark.slow
def test_what_it_was_made_from_may_not_be_there_yet(cell, tmp_path, wandb_server):
    done = run_stage(cell, "summarise", tmp_path / "home", wandb_server.url)
    assert done.returncode == 0 and wandb_server.uses == set()
    line = f"W&B has no artifact smoke-relate:{cell.before[0].digest} that grpo-continuous-seed0 comes from"
    assert f"warning: {line}; wandb_sync.py sends and links it\n" in done.stderr


def test_without_a_login_it_is_one_line_before_any_work(cell, tmp_path):
    done = run_stage(cell, "summarise", tmp_path / "home")
    assert done.returncode == 1 and done.stderr == (
        "grpo: error: W&B has no login: run `wandb login`, or set WANDB_API_KEY; tracking.wandb=offline needs neither\n"
    )
    assert not (cell.folder / "metrics.jsonl").exists()


def test_a_key_of_the_wrong_form_is_one_line_that_does_not_repeat_it(cell, tmp_path, wandb_server):
    done = run_stage(cell, "summarise", tmp_path / "home", wandb_server.url, WANDB_API_KEY="canary")
    assert done.returncode == 1 and "canary" not in done.stderr
    assert done.stderr.startswith("grpo: error: W&B: WANDB_API_KEY invalid") and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_without_the_server_the_stage_goes_on_and_says_so(cell, tmp_path):
    done = run_stage(cell, "train", tmp_path / "home", "http://127.0.0.1:9", WANDB_INIT_TIMEOUT="2")
    assert done.returncode == 0 and (cell.folder / "result.json").exists()
    (line,) = [line for line in done.stderr.splitlines() if "warning" in line]
    assert line.startswith("warning: W&B has not all of grpo-continuous-seed0: CommError: ")
