import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.tracking import Journal, Tracker


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


def test_a_row_is_appended_and_the_rest_of_the_file_untouched(tmp_path):
    tracker = Tracker(tmp_path / "metrics.jsonl")
    tracker.log(0, {"loss": 0.5})
    before = (tmp_path / "metrics.jsonl").stat()
    tracker.log(1, {"loss": 0.25})
    after = (tmp_path / "metrics.jsonl").stat()
    assert before.st_ino == after.st_ino and before.st_size < after.st_size


def test_a_torn_last_line_is_dropped(tmp_path):
    path = tmp_path / "rollouts.jsonl"
    Journal(path).add([{"step": 0, "n": 1}, {"step": 1, "n": 2}])
    with path.open("a") as file:
        file.write('{"step": 1, "n"')
    Journal(path, from_step=2).add([{"step": 2, "n": 3}])
    assert [row["n"] for row in read_jsonl(path)] == [1, 2, 3]


def test_several_rows_of_a_step_go_together(tmp_path):
    path = tmp_path / "rollouts.jsonl"
    Journal(path).add({"step": step, "n": n} for step in range(3) for n in range(2))
    assert Journal(path, from_step=1).read() == [{"step": 0, "n": 0}, {"step": 0, "n": 1}]


@pytest.mark.parametrize("line", ["{not json}", "[1]", '{"loss": 1}'])
def test_a_damaged_file_is_refused(tmp_path, line):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 0}\n' + line + '\n{"step": 1}\n')
    with pytest.raises(UserError, match=r"metrics\.jsonl is damaged at byte 12; delete its folder and train again"):
        Journal(path, from_step=5)


def test_numbers_that_are_not_finite_become_null(tmp_path):
    Tracker(tmp_path / "metrics.jsonl").log(0, {"loss": float("nan"), "spread": {"top": float("inf")}, "all": [1.0]})
    assert read_jsonl(tmp_path / "metrics.jsonl") == [{"step": 0, "loss": None, "spread": {"top": None}, "all": [1.0]}]


MIRROR = """
import sys
from pathlib import Path
from omegaconf import OmegaConf
from openswerl.tracking import Mirror
config = OmegaConf.create({"tracking": {"wandb": sys.argv[2], "project": "p"}, "grpo": {"steps": 2}})
spread = {"low": -1.0, "high": 1.0, "counts": [1, 0, 2, 1]}
rows = [{"step": 0, "loss": 1.0}, {"step": 1, "loss": 0.25, "reasons": {"timeout": 2}, "kl": None, "spread": spread}]
folder = Path(sys.argv[1])
run = Mirror(config, stage="grpo", digest="c0ffee", group="seed0", folder=folder)
for row in rows:
    run.log(row)
run.show(1, Path(sys.argv[3]), [{"step": 1, "reward": None, "output": "x"}, {"step": 1, "reward": 0.5, "output": "y"}])
run.close()
"""


def mirror_in_a_process(folder: Path, mode: str) -> None:
    """A stage is a process of its own too. WANDB_SERVICE would lead to the helper of the process that tests."""
    environment = {key: value for key, value in os.environ.items() if key != "WANDB_SERVICE"}
    picture = folder.with_name("picture.png")
    Figure().savefig(picture)
    subprocess.run([sys.executable, "-c", MIRROR, str(folder), mode, str(picture)], check=True, env=environment)


def test_disabled_writes_nothing(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    mirror_in_a_process(folder, "disabled")
    assert list(folder.iterdir()) == []


def test_offline_writes_one_run_named_by_stage_and_digest(tmp_path):
    mirror_in_a_process(tmp_path, "offline")
    (run,) = (tmp_path / "wandb").glob("offline-run-*")
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--summary", "--json", str(run)]
    seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert (seen["run_id"], seen["project"], seen["state"]) == ("grpo-c0ffee", "p", "finished")
    assert (seen["step"], seen["summary"]["loss"], seen["config"]["grpo"]) == (1, 0.25, {"steps": 2})
    assert seen["summary"]["reasons/timeout"] == 2 and "kl" not in seen["summary"]
    assert seen["summary"]["spread"]["values"] == [1, 0, 2, 1]
    (table,) = (run / "files" / "media" / "table").glob("samples*.json")
    assert json.loads(table.read_text())["data"] == [["1", "None", "x"], ["1", "0.5", "y"]]
    assert len(list((run / "files" / "media" / "images").glob("rewards*.png"))) == 1


def test_a_second_offline_run_takes_the_place_of_the_first(tmp_path):
    for _ in range(2):
        mirror_in_a_process(tmp_path, "offline")
    assert len(list((tmp_path / "wandb").glob("offline-run-*"))) == 1
