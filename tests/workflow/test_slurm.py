"""The graph through a real Slurm of two nodes on this machine: whole, on both nodes at once, and with jobs killed."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openswerl.cluster.jobs import read
from openswerl.cluster.report import lines
from workflow.conftest import ROOT, Project, fresh

UP = str(ROOT / "scripts/dev/slurm_up.sh")
QUICK = ("--profile", "profiles/slurm", "--max-threads", "1", "--slurm-init-seconds-before-status-checks", "2")
GATE = [f"results/smoke/evaluate/{policy}/seed0/result.json" for policy in ("gold", "none")]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def slurm():
    """A Slurm of two nodes; one that runs already is used and left as it is."""
    if "OPENSWERL_SLURM" not in os.environ:
        pytest.skip("installs Slurm and starts it on this machine: make test-slurm")
    mine = not Path("/etc/slurm/slurm.conf").exists()
    started = subprocess.run([UP, "2"], capture_output=True, text=True)
    if started.returncode:
        subprocess.run([UP, "down"], capture_output=True)
        pytest.fail(started.stderr)
    yield
    if mine:
        subprocess.run([UP, "down"], check=True, capture_output=True)


def start(project: Project, *arguments: str) -> "subprocess.Popen[str]":
    return project.start("env", "WANDB_MODE=disabled", sys.executable, "-m", "snakemake", *QUICK, *arguments)


def newest_log(project: Project) -> Path:
    return max((project.path / ".snakemake/log").glob("*.log"), key=lambda path: path.stat().st_mtime)


@pytest.fixture(scope="module")
def project(slurm, tmp_path_factory) -> Project:
    """The whole graph, done by Slurm: training on both nodes, and a first stage that first gets too little memory."""
    project = fresh(tmp_path_factory.mktemp("slurm") / "project")
    overrides = "overrides=nodes=2 sft.rows_per_step=2 resources.laptop.mem_mb=100"
    overrides += " grid.reward=[continuous] grid.baselines=[base,sft]"
    process = start(project, "--retries", "4", "--config", "scale=smoke", overrides)
    out, err = process.communicate()
    assert process.returncode == 0, out[-3000:] + err[-6000:]
    (project.path / "stderr").write_text(err)
    return project


def test_the_whole_graph_runs_through_slurm(project):
    jobs = read(newest_log(project).read_text())
    assert {job.state for job in jobs} == {"COMPLETED"}
    assert {job.rule for job in jobs} >= {"laptop", "archive", "relate", "sft", "grpo", "evaluate", "ood", "report"}
    assert (project.path / "results/report.html").exists()
    table = project.run(sys.executable, str(ROOT / "scripts/dev/slurm_jobs.py"))
    assert json.loads(table.stdout.splitlines()[-1])["states"] == {"COMPLETED": len(jobs)}, table.stderr


def test_a_job_killed_for_its_memory_is_tried_again_with_more(project):
    line = r"cluster: laptop: Slurm job \d+: MEMORY; done in try [2-5] as Slurm job \d+"
    said = [line for line in (project.path / "stderr").read_text().splitlines() if line.startswith("cluster: ")]
    assert len(said) == 1 and re.fullmatch(line, said[0]), said


def test_training_ran_on_both_nodes(project):
    """Each by srun, as two tasks on two nodes."""
    for stage, log in (("grpo", "grpo/continuous"), ("sft", "sft/paper")):
        command = re.search(rf"Shell command: (.*scripts/{stage}.py.*)", newest_log(project).read_text())
        assert command and "srun --nodes=2 --ntasks=2 --ntasks-per-node=1" in command[1]
        assert (project.path / f"results/smoke/{log}/seed0/result.json").exists()


def test_jobs_cancelled_or_out_of_time_are_told_in_one_line_each(project):
    (project.path / "scripts").unlink()
    shutil.copytree(ROOT / "scripts", project.path / "scripts")
    (project.path / "scripts/evaluate.py").write_text("import time\nprint('hangs', flush=True)\ntime.sleep(3600)\n")
    config = ("--config", "scale=smoke", "overrides=resources.evaluate.runtime=1")
    process = start(project, "--retries", "0", "--force", *GATE, *config)
    logs = [project.path / f"results/smoke/logs/evaluate/{policy}/seed0.log" for policy in ("gold", "none")]
    deadline = time.monotonic() + 900
    while not all(path.exists() and path.read_text() == "hangs\n" for path in logs):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.5)
    number = re.search(r"jobid (\d+) .*_gold_0", newest_log(project).read_text())
    assert number
    subprocess.run(["scancel", number[1]], check=True)
    _, err = process.communicate()
    assert process.returncode == 1
    gold, none = sorted(line for line in err.splitlines() if line.startswith("cluster: "))
    assert sorted(lines(newest_log(project))) == [gold, none]
    start_of = "cluster: evaluate (policy={}, seed=0): Slurm job {}: {}, try 1; see results/smoke/logs/evaluate/{}/"
    assert gold.startswith(start_of.format("gold", number[1], "CANCELLED", "gold"))
    assert gold.endswith("; run the same command again")
    assert re.match(re.escape(start_of).replace(r"\{\}", r"[\w ]+"), none) and ": TIME LIMIT, try 1; " in none
    assert none.endswith("; raise resources.evaluate.runtime")
