"""The sweep view over folders as stages leave them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from openswerl.compare import compare, draw, read_runs, table
from openswerl.errors import UserError

ROOT = Path(__file__).resolve().parents[1]


def made(folder: Path, rewards: list[float], seed: int = 0, **grpo: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        json.dumps({"seed": seed, "grpo": {"group_size": 8, "optimiser": {"lr": 0.1}, **grpo}})
    )
    rows = [{"step": k, "reward_mean": reward, "kl": None, "reasons": {"x": 1}} for k, reward in enumerate(rewards)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """The last tenth of 20 steps are two."""
    return [
        made(tmp_path / "a", [9.0] * 18 + [0.1, 0.3]),
        made(tmp_path / "b", [9.0] * 18 + [0.4, 0.4], seed=1),
        made(tmp_path / "c", [0.5], group_size=16),
    ]


def test_runs_that_differ_in_the_seed_alone_are_one_row(folders: list[Path]) -> None:
    runs, metric = read_runs(folders, None)
    rows = compare(runs)
    assert metric == "reward_mean" and [*rows.columns] == ["grpo.group_size", "mean", "lowest", "highest", "runs"]
    assert rows.iloc[0].tolist() == ["8", *map(pytest.approx, (0.3, 0.2, 0.4)), 2]
    assert rows.iloc[1].tolist() == ["16", 0.5, 0.5, 0.5, 1]
    assert table(rows, metric).splitlines()[2] == "| 8 | 0.3 | 0.2 | 0.4 | 2 |"


def test_runs_that_differ_in_the_seed_alone_have_no_axis(folders: list[Path]) -> None:
    (row,) = compare(read_runs(folders[:2], None)[0]).to_dict("records")
    assert row == {"mean": pytest.approx(0.3), "lowest": pytest.approx(0.2), "highest": 0.4, "runs": 2}


def test_a_setting_that_only_some_have_is_an_axis(folders: list[Path], tmp_path: Path) -> None:
    runs, _ = read_runs([folders[0], made(tmp_path / "d", [0.5], extra={"x": None})], None)
    assert compare(runs)["grpo.extra.x"].tolist() == ["-", "null"]


def test_a_metric_that_some_run_lacks_is_told_with_those_that_all_have(folders: list[Path]) -> None:
    with pytest.raises(UserError, match=r"^metric loss is not in all of these runs; they share: reward_mean$"):
        read_runs(folders, "loss")


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished run with metrics"):
        read_runs([tmp_path], None)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_plot_goes_along_a_number_or_names_each_row(folders: list[Path], tmp_path: Path, count: int) -> None:
    runs, metric = read_runs([*folders, made(tmp_path / "d", [0.5], ratio="sequence")][:count], None)
    draw(compare(runs), metric, tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert metric in text and ("grpo.ratio=sequence" in text) == (count == 4)


def test_the_command_prints_the_table_or_one_line(folders: list[Path]) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "compare.py"), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "| grpo.group_size | reward_mean | lowest | highest | runs |" in done.stdout
    failed = subprocess.run([*command, "--metric", "x"], capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (1, "") and failed.stderr.startswith("compare: error: metric x is not")
    assert failed.stderr.count("\n") == 1
