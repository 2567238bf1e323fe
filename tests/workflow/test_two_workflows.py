"""One workflow at a time in a folder; what a killed one left locked does not stand in the way of the next."""

import fcntl
from pathlib import Path

SMOKE = ("--config", "scale=smoke")


def leave_lock(project) -> Path:
    """Leave what Snakemake's lock is after a kill."""
    path = project.path / ".snakemake/locks/0.output.lock"
    path.parent.mkdir(parents=True)
    path.write_text("results/smoke/laptop/result.json\n")
    return path


def test_a_lock_that_a_kill_left_is_cleared(project):
    left = leave_lock(project)
    done = project.snakemake("laptop", *SMOKE)
    assert done.returncode == 0, done.stderr
    assert (project.path / "results/smoke/laptop/result.json").exists()
    assert not left.exists()


def test_a_second_workflow_is_one_line_and_a_dry_run_is_allowed(project):
    left = leave_lock(project)
    with (project.path / ".snakemake/openswerl.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write("123")
        held.flush()
        second = project.snakemake("laptop", *SMOKE)
        assert project.plan("laptop", *SMOKE) == {"laptop"}
    assert second.returncode == 1
    said = [line for line in second.stderr.splitlines() if "workflow that runs" in line]
    assert said == [f"{project.path} has a workflow that runs (process 123): wait for it or stop it, and run again"]
    assert "unlock" not in second.stderr
    assert left.exists() and not (project.path / "results").exists()
