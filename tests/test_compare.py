"""The sweep view over folders as stages leave them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from openswerl.compare import axes_of, choose_metric, plot, read_run, rows_of, to_markdown
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
    runs = [read_run(folder) for folder in folders]
    assert axes_of(runs) == ["grpo.group_size"] and choose_metric(runs, None) == "reward_mean"
    first, second = rows_of(runs, "reward_mean")
    assert (first.settings, first.runs) == ({"grpo.group_size": "8"}, 2)
    assert (first.mean, first.low, first.high) == pytest.approx((0.3, 0.2, 0.4))
    assert (second.settings, second.runs, second.mean) == ({"grpo.group_size": "16"}, 1, 0.5)
    assert to_markdown([first, second], "reward_mean").splitlines()[2] == "| 8 | 0.3 | 0.2 | 0.4 | 2 |"


def test_a_metric_that_some_run_lacks_is_told_with_those_that_all_have(folders: list[Path]) -> None:
    runs = [read_run(folder) for folder in folders]
    with pytest.raises(UserError, match=r"^metric loss is not in all of these runs; they share: reward_mean$"):
        choose_metric(runs, "loss")


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished run with metrics"):
        read_run(tmp_path)


@pytest.mark.parametrize("name", ["a.svg", "b.png"])
def test_the_plot_is_an_image_along_a_number_or_by_name(folders: list[Path], tmp_path: Path, name: str) -> None:
    runs = [read_run(folder) for folder in (*folders, made(tmp_path / "d", [0.5], ratio="sequence"))]
    for chosen in (runs[:3], runs):
        plot(rows_of(chosen, "reward_mean"), "reward_mean", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 2000


def test_the_command_prints_the_table_or_one_line(folders: list[Path]) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "compare.py"), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "| grpo.group_size | reward_mean | lowest | highest | runs |" in done.stdout
    failed = subprocess.run([*command, "--metric", "x"], capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (1, "") and failed.stderr.startswith("compare: error: metric x is not")
    assert failed.stderr.count("\n") == 1
