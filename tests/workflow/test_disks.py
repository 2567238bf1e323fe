"""A disk that is full or cannot be written, and clocks that jump: said in a line, and the same results after it."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fault_injection import contents, differences, fresh

GRID = ("grid.baselines=[base]", "grid.reward=[continuous]", "grid.ood=[]")
CONFIG = ("scale=smoke", f"overrides=tracking.wandb=disabled {' '.join(GRID)}")
RUN = (sys.executable, "-m", "snakemake", "--cores", "2", "--config", *CONFIG)
DISK_BYTES = 256 * 2**20
FREE_BYTES = 2**23  # used up as a checkpoint and a database are written
# Leaves the bytes of $2 free on the disk $1, runs what follows, and again with all of the disk.
TWICE = """
disk=$1; free=$2; shift 2
rest=$(($(df --output=avail -B1 "$disk" | tail -1) - free))
head -c $rest /dev/zero > "$disk/filler"
"$@" > first.log 2>&1; echo "first $?"
rm "$disk/filler"
"$@" > second.log 2>&1; echo "second $?"
cp -r "$disk" kept
"""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


def inside(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run in a view of the machine where `command` starts with the options of bubblewrap."""
    environment = {**os.environ, "WANDB_MODE": "disabled"}
    environment.pop("OPENSWERL_SNAKEMAKE", None)
    whole = ["bwrap", "--dev-bind", "/", "/", "--chdir", str(folder), *command]
    return subprocess.run(whole, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = fresh(tmp_path_factory.mktemp("disks") / "undisturbed")
    done = inside(folder, *RUN)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_full_disk_is_said_and_the_same_command_goes_on(undisturbed: Path, tmp_path: Path) -> None:
    folder = fresh(tmp_path / "project")
    disk = folder / "results"
    disk.mkdir()
    small = ("--size", str(DISK_BYTES), "--tmpfs", str(disk))
    done = inside(folder, *small, "bash", "-uc", TWICE, "bash", str(disk), str(FREE_BYTES), *RUN)
    first, second = ((folder / f"{name}.log").read_text() for name in ("first", "second"))
    assert done.stdout.split() == ["first", "1", "second", "0"], first + second
    assert "Traceback" not in first, first
    assert re.search(r"^\w+: error: .*(No space left on device|disk is full)", first, re.M), first
    shutil.rmtree(disk)
    (folder / "kept").rename(disk)
    assert differences(contents(undisturbed), contents(folder)) == []


def test_results_that_cannot_be_written_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = fresh(tmp_path / "project")
    (folder / "results").mkdir()
    done = inside(folder, "--ro-bind", str(folder / "results"), str(folder / "results"), *RUN)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "Read-only file system" in done.stderr


def test_clocks_that_jumped_change_no_result(undisturbed: Path, tmp_path: Path) -> None:
    shutil.copytree(undisturbed, tmp_path / "project", symlinks=True)
    folder, year, rng = tmp_path / "project", 365 * 86400, random.Random(0)
    for path in (folder / "results").rglob("*"):
        moment = path.stat().st_mtime + rng.uniform(-year, year)
        os.utime(path, (moment, moment))
    done = inside(folder, *RUN)
    assert done.returncode == 0, done.stderr
    assert differences(contents(undisturbed), contents(folder)) == []
