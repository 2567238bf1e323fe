"""The whole graph at smoke scale, for real, with a power cut in the middle."""

import json
import os
import signal
import sys
import time

SMOKE = ("--config", "scale=smoke")


def cut_off(project, finished: str) -> None:
    """Start Snakemake, and kill it with all its jobs once a result is there."""
    command = (sys.executable, "-m", "snakemake", "--cores", "2", *SMOKE)
    with (project.path / "first.log").open("w") as log:
        process = project.start(*command, stdout=log, stderr=log, start_new_session=True)
        while not (project.path / finished).exists():
            assert process.poll() is None, (project.path / "first.log").read_text()
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_from_nothing_to_the_report(project, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    cut_off(project, "results/smoke/data/relate/result.json")
    done = project.snakemake(*SMOKE)
    assert done.returncode == 0, done.stdout + done.stderr

    for cell in project.cells("scale=smoke"):
        result = json.loads((project.path / cell.folder / "result.json").read_text())
        assert (result["stage"], result["digest"]) == (cell.stage, cell.digest)
        mirrors = [path.name for path in (project.path / cell.folder).glob("wandb/offline-run-*")]
        if cell.stage != "relate":  # was cut off as it was about to be mirrored
            assert len(mirrors) == 1 and mirrors[0].endswith(f"-{cell.stage}-{cell.digest}")
    assert "<html" in (project.path / "results/report.html").read_text()
    table = (project.path / "results/smoke/report/table2.csv").read_text()
    assert all(policy in table for policy in ("base", "sft", "sft-gold", "grpo-continuous", "grpo-discrete"))
    assert not list(project.path.glob("results/**/work-*"))
    assert project.plan(*SMOKE) == set()

    shown = project.snakemake("--report", "report.zip", *SMOKE)
    assert shown.returncode == 0, shown.stdout + shown.stderr
