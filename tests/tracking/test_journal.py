"""Rows survive a kill, in order, and a file that is damaged is not guessed at."""

import pytest

from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.tracking.journal import Journal, Tracker


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
