"""A copy of the workflow in a folder of its own, with a conf/ that tests may edit."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from openswerl.config import Cell

GRID = {"reward": "[continuous, discrete]", "seed": "[0]", "baselines": "[base, sft, sft-gold]"}
GRID |= {"ood": "[base, sft, grpo-continuous]"}
ROOT = Path(__file__).resolve().parents[2]
JOB = re.compile(r"^(?:local)?rule (?P<rule>\w+):$(?P<body>.*?)^(?:Shell command|Job stats)", re.M | re.S)


@dataclass(frozen=True)
class Project:
    path: Path

    @property
    def conf(self) -> Path:
        return self.path / "conf"

    def start(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        """Start a command here, as its first user would; `options` are those of Popen."""
        environment = {**os.environ, "OPENSWERL_CONF": str(self.conf)}
        for name in ("OPENSWERL_SNAKEMAKE", "WANDB_SERVICE"):
            environment.pop(name, None)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=self.path, env=environment, text=True, **{**pipes, **options})

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        with self.start(*command) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def bash(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a block of commands, which ends at the first that fails; no W&B run mirrors what it makes."""
        return self.run("env", "WANDB_MODE=disabled", "bash", "-euc", script)

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "snakemake", "--cores", "2", *arguments)

    def script(self, stage: str, *overrides: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, f"scripts/{stage}.py", *overrides)

    def plan(self, *arguments: str) -> set[str]:
        """Return the jobs that Snakemake would run, as "rule" or "rule/axis/seed", without the targets."""
        done = self.snakemake("--dry-run", *arguments)
        assert done.returncode == 0, done.stderr
        jobs = set()
        for job in JOB.finditer(done.stdout):
            wildcards = re.search(r"^    wildcards: (.*)$", job["body"], re.M)
            values = re.findall(r"=(?:/variants/)?([^,]+)", wildcards[1]) if wildcards else []
            jobs.add("/".join([job["rule"], *values]))
        return {job for job in jobs if not re.fullmatch("all|[a-z]+_all", job)}

    def cells(self, *overrides: str) -> list[Cell]:
        """Return every cell of the grid, and all before them."""
        grid = (f"grid.{axis}={values}" for axis, values in GRID.items() if axis != "ood")  # that is the scale's
        cells = [Cell("report", (*grid, *overrides))]
        for cell in cells:
            cells.extend(before for before in cell.before if before not in cells)
        return cells

    def edit(self, file: str, key: str, value: str) -> None:
        """Set a key in a file of conf/; a key in a block is named with its spaces."""
        text, count = re.subn(rf"^{key}: .*$", f"{key}: {value}", (self.conf / file).read_text(), flags=re.M)
        assert count == 1
        (self.conf / file).write_text(text)

    def finish(self, *arguments: str) -> None:
        """Put every job on record as done. What the files hold does not matter for planning."""
        summary = self.snakemake("--summary", *arguments).stdout.splitlines()[1:]
        for line in summary:
            path = self.path / line.split("\t")[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir() if path.name == "policy" else path.write_text("{}")
        done = self.snakemake("--touch", "--forceall", *arguments)
        assert done.returncode == 0, done.stderr


def fresh(path: Path) -> Project:
    path.mkdir(parents=True)
    for name in ("Snakefile", "workflow", "scripts", "profiles"):
        (path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "conf", path / "conf")
    project = Project(path)
    for axis, values in GRID.items():
        project.edit("config.yaml", f"  {axis}", values)
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return fresh(tmp_path / "project")


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The whole graph at smoke scale, done: what `make demo` leaves, for tests of the pages to type commands in."""
    project = fresh(tmp_path_factory.mktemp("smoke") / "project")
    done = project.snakemake("--config", "scale=smoke")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="session")
def _finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = fresh(tmp_path_factory.mktemp("finished") / "project")
    project.finish()
    return project


@pytest.fixture
def finished(_finished: Project, tmp_path: Path) -> Project:
    shutil.copytree(_finished.path, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")
