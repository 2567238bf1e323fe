"""Offline runs: one of every stage, read back by W&B's own tool, with no login and nothing sent."""

import json

import pytest

from grpo_runs import Run, Runs
from openswerl.config import Cell
from tracking.stages import SAMPLES, STEPS
from wandb_runs import KEY, inspect, last_row, own_metrics, records, run_stage


class SftRun(Run):
    """An sft stage."""

    stage = "sft"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A summarised evaluation and a training run that was killed once and run again; W&B's key lay about."""
    folder = tmp_path_factory.mktemp("graph")
    told, trained = (Cell(stage, ("scale=smoke", f"results={folder}")) for stage in ("evaluate", "grpo"))
    assert run_stage(told, "summarise", folder / "home", WANDB_API_KEY=KEY).returncode == 0
    trained.folder.mkdir(parents=True)
    (trained.folder / "die").touch()
    assert run_stage(trained, "train", folder / "home").returncode == -9
    assert run_stage(trained, "train", folder / "home").returncode == 0
    return told, trained


def test_the_summary_is_the_last_row_of_metrics(graph):
    """What only an earlier row has, a reason and a number that is null now, is not in it."""
    for cell in graph:
        assert own_metrics(inspect(cell.folder)["summary"]) == last_row(cell.folder / "metrics.jsonl")
    assert last_row(graph[0].folder / "metrics.jsonl") == {"loss": 0.25, "reasons/missing_tag": 1, "nested/a/b": 3}


def test_the_run_is_named_by_stage_and_digest_and_holds_the_own_slice_of_the_config(graph):
    cell, _ = graph
    seen, (started,) = inspect(cell.folder), records(cell.folder, "run")
    assert (seen["run_id"], seen["name"]) == (f"evaluate-{cell.digest}", "evaluate-base-seed0")
    assert (seen["state"], seen["project"]) == ("finished", "open-swe-rl")
    assert (started["run_group"], started["job_type"]) == ("smoke", "evaluate")
    assert "host" not in started
    inputs = seen["config"].pop("inputs")
    assert seen["config"].keys() == json.loads(cell.params)["config"].keys()
    assert seen["config"]["evaluate"] == json.loads(cell.params)["config"]["evaluate"]
    assert set(inputs.values()) == {before.digest for before in cell.before}


def test_the_result_is_in_the_summary(graph):
    summary = inspect(graph[0].folder)["summary"]
    assert {key: it for key, it in summary.items() if key.startswith("result/")} == {
        "result/rows": 2,
        "result/left_out/too_long": 1,
    }


def test_a_run_that_was_killed_is_one_run_with_every_step_once(graph):
    _, cell = graph
    assert len(list((cell.folder / "wandb").glob("offline-run-*"))) == 1
    rows = [row["item"] for row in records(cell.folder, "history")]
    assert [row["_step"] for row in rows] == list(range(STEPS))
    assert [row["loss"] for row in rows] == [1 / (1 + step) for step in range(STEPS)]
    assert (rows[0]["spread._type"], rows[0]["spread.values"]) == ("histogram", [1, 0, 2, 1])
    assert rows[0]["spread.bins"] == [-1, -0.5, 0, 0.5, 1]


def test_samples_pictures_and_alerts_are_in_it(graph):
    _, cell = graph
    (run,) = (cell.folder / "wandb").glob("offline-run-*")
    (table,) = [json.loads(path.read_text()) for path in run.glob("files/media/table/samples*.json")]
    shown = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert shown == [{key: str(value) for key, value in row.items()} for row in SAMPLES]
    assert list(run.glob("files/media/images/rewards*.png"))
    alerts = records(cell.folder, "alert")
    assert [alert["title"] for alert in alerts] == [f"kl at step {step + 1}" for step in range(STEPS)]
    assert (alerts[-1]["level"], alerts[-1]["text"]) == ("WARN", "grpo-continuous-seed0: far at 4")


def test_the_artifact_names_files_without_copying_them_and_states_what_it_was_made_from(graph):
    cell, _ = graph
    artifact = next(it for it in records(cell.folder, "artifact") if it["type"] == "evaluation")
    assert (artifact["name"], set(artifact["aliases"])) == ("smoke-evaluate-base-seed0", {"latest", cell.digest})
    files = {entry["path"]: entry for entry in artifact["manifest"]["contents"]}
    assert files.keys() == {"result.json", "outcomes.jsonl"}
    assert files["outcomes.jsonl"]["ref"] == (cell.folder / "outcomes.jsonl").resolve().as_uri()
    assert files["result.json"]["local_path"] == str((cell.folder / "result.json").resolve())
    stated = json.loads(artifact["metadata"])
    assert stated["digest"] == cell.digest and stated["result"]["rows"] == 2
    assert {f"smoke-{before.name}": before.digest for before in cell.before} == stated["inputs"]


def test_no_file_holds_the_key(graph):
    root = graph[0].folder.parents[3]
    assert not [path for path in root.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Run, SftRun])
def test_a_real_training_run_that_was_killed_reads_back_as_its_metrics(tmp_path, kind):
    run = Runs(tmp_path, kind).new(kind.stage, "tracking.wandb=offline", "sft.steps=6", "sft.checkpoint_every=2")
    run.kill_when(lambda: run.steps() == 3)
    run.finish()
    summary = inspect(run.out)["summary"]
    assert own_metrics(summary, run.out / "timings.jsonl") == last_row(run.out / "metrics.jsonl")
    steps = (run.out / "metrics.jsonl").read_bytes().count(b"\n")
    assert [row["item"]["_step"] for row in records(run.out, "history")] == list(range(steps)) == list(range(6))
