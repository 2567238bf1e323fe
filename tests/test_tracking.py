import json
import os
import subprocess
import sys
from pathlib import Path

from openswerl.files import read_jsonl
from openswerl.tracking import Tracker


def test_a_row_is_on_disk_when_log_returns(tmp_path):
    tracker = Tracker(tmp_path / "metrics.jsonl")
    tracker.log(0, {"loss": 0.5})
    assert read_jsonl(tmp_path / "metrics.jsonl") == [{"step": 0, "loss": 0.5}]


def test_reopening_at_a_step_drops_what_came_after(tmp_path):
    tracker = Tracker(tmp_path / "metrics.jsonl")
    for step in range(4):
        tracker.log(step, {"loss": float(step)})
    resumed = Tracker(tmp_path / "metrics.jsonl", from_step=2)
    resumed.log(2, {"loss": 9.0})
    assert [row["loss"] for row in read_jsonl(tmp_path / "metrics.jsonl")] == [0.0, 1.0, 9.0]


MIRROR = """
import sys
from pathlib import Path
from omegaconf import OmegaConf
from openswerl.tracking import mirror
config = OmegaConf.create({"tracking": {"wandb": sys.argv[2], "project": "p"}, "grpo": {"steps": 2}})
rows = [{"step": 0, "loss": 1.0}, {"step": 1, "loss": 0.25}]
mirror(rows, config, stage="grpo", digest="c0ffee", group="seed0", folder=Path(sys.argv[1]))
"""


def mirror_in_a_process(folder: Path, mode: str) -> None:
    """A stage is a process of its own too. WANDB_SERVICE would lead to the helper of the process that tests."""
    environment = {key: value for key, value in os.environ.items() if key != "WANDB_SERVICE"}
    subprocess.run([sys.executable, "-c", MIRROR, str(folder), mode], check=True, env=environment)


def test_disabled_writes_nothing(tmp_path):
    mirror_in_a_process(tmp_path, "disabled")
    assert list(tmp_path.iterdir()) == []


def test_offline_writes_one_run_named_by_stage_and_digest(tmp_path):
    mirror_in_a_process(tmp_path, "offline")
    (run,) = (tmp_path / "wandb").glob("offline-run-*")
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--summary", "--json", str(run)]
    seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert (seen["run_id"], seen["project"], seen["state"]) == ("grpo-c0ffee", "p", "finished")
    assert (seen["step"], seen["summary"]["loss"], seen["config"]["grpo"]) == (1, 0.25, {"steps": 2})
