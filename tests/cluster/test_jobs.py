"""Logs as Snakemake 9.27 and snakemake-executor-plugin-slurm 2.8 wrote them on a real Slurm, shortened."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.cluster.jobs import read
from openswerl.cluster.report import lines

HEAD = """\
[Mon Nov 30 17:49:42 2026]
rule evaluate:
    output: r/smoke/evaluate/gold/seed0/result.json
    log: r/smoke/logs/evaluate/gold/seed0.log
    jobid: 7
    reason: Missing output files: r/smoke/evaluate/gold/seed0/result.json
    wildcards: variant=, policy=gold, seed=0
    resources: tmpdir=<TBD>, runtime=60, gpu=0, mem_mb=4000, mem=4 GB, mem_mib=3815
Shell command: python scripts/evaluate.py policy=gold 2>&1 | tee r/smoke/logs/evaluate/gold/seed0.log
Job 7 has been submitted with SLURM jobid 5 (log: {folder}/5.log).
"""
FAILED = """\
[Mon Nov 30 17:50:22 2026]
Error in rule evaluate:
    message: SLURM-job '5' failed, SLURM status is: '{state}'. Detailed failure reason unavailable (status command is \
not 'sacct').For further error details see the cluster/cloud log and the log files of the involved rule(s).
    jobid: 7
    log: r/smoke/logs/evaluate/gold/seed0.log, {folder}/5.log (check log file(s) for error details)
    external_jobid: 5
Trying to restart job 7.
"""
AGAIN = """\
[Mon Nov 30 17:50:23 2026]
rule evaluate:
    output: r/smoke/evaluate/gold/seed0/result.json
    log: r/smoke/logs/evaluate/gold/seed0.log
    jobid: 7
    wildcards: variant=, policy=gold, seed=0
Job 7 has been submitted with SLURM jobid 6 (log: {folder}/6.log).
[Mon Nov 30 17:51:33 2026]
Finished jobid: 7 (Rule: evaluate)
"""
GROUP = """\
[Mon Nov 30 17:49:42 2026] Group job months (jobs in lexicogr. order):
    [Mon Nov 30 17:49:42 2026]
    rule archive:
        log: r/logs/data/archive/2015-01.log
        jobid: 2
        wildcards: variant=, span=2015-01
    [Mon Nov 30 17:49:42 2026]
    rule archive:
        log: r/logs/data/archive/2015-02.log
        jobid: 3
        wildcards: variant=, span=2015-02
Job a249805b-4e59-5f5c-8ae0-ab70bc271789 has been submitted with SLURM jobid 4 (log: /l/group_months_archive/4.log).
[Mon Nov 30 17:51:33 2026]
Finished jobid: 2 (Rule: archive)
"""
MEMORY = "slurmstepd-node1: error: StepId=5.0 exceeded memory limit (110780416 > 104857600), being killed\n"
SCANCEL = "slurmstepd-node1: error: *** JOB 5 ON node1 CANCELLED AT 2026-11-30T17:53:31 ***\n"
TIME = "slurmstepd-node1: error: *** JOB 5 ON node1 CANCELLED AT 2026-11-30T17:58:26 DUE TO TIME LIMIT ***\n"


def said(folder: Path, text: str, slurm_log: str = "") -> list[str]:
    (folder / "5.log").write_text(slurm_log)
    path = folder / "x.snakemake.log"
    path.write_text(text)
    return list(lines(path))


def test_a_job_that_is_done_in_its_second_try():
    (job,) = read((HEAD + FAILED.format(state="FAILED", folder="/l") + AGAIN).replace("{folder}", "/l"))
    assert (job.name, job.state, job.seconds) == ("evaluate (policy=gold, seed=0)", "COMPLETED", 111.0)
    assert [(one.number, one.state) for one in job.tries] == [("5", "FAILED"), ("6", "COMPLETED")]


def test_the_jobs_of_a_group_share_their_slurm_job():
    jobs = read(GROUP)
    assert [(job.name, job.tries[0].number) for job in jobs] == [
        ("archive (span=2015-01)", "4"),
        ("archive (span=2015-02)", "4"),
    ]


def test_a_run_without_slurm_says_nothing(tmp_path):
    assert said(tmp_path, HEAD.rsplit("Job 7", 1)[0] + "Finished jobid: 7 (Rule: evaluate)\n") == []


@pytest.mark.parametrize(
    ("state", "slurm_log", "cause", "advice"),
    [
        ("FAILED", MEMORY + SCANCEL, "MEMORY", "raise resources.evaluate.mem_mb"),
        ("OUT_OF_MEMORY", "", "MEMORY", "raise resources.evaluate.mem_mb"),
        ("TIMEOUT", "srun: got SIGCONT\n" + TIME, "TIME LIMIT", "raise resources.evaluate.runtime"),
        ("TIMEOUT", "", "TIME LIMIT", "raise resources.evaluate.runtime"),
        ("CANCELLED", SCANCEL, "CANCELLED", "run the same command again"),
        ("FAILED", "evaluate: error: no such row\n", "evaluate: error: no such row", "mend that and run again"),
    ],
)
def test_a_job_that_failed_for_good_is_one_line(tmp_path, state, slurm_log, cause, advice):
    text = (HEAD + FAILED).format(state=state, folder=tmp_path)
    what = "cluster: evaluate (policy=gold, seed=0): Slurm job 5: "
    where = ", try 1; see r/smoke/logs/evaluate/gold/seed0.log; "
    assert said(tmp_path, text, slurm_log) == [what + cause + where + advice]


def test_a_failure_that_nobody_explains_names_slurms_log_too(tmp_path):
    (line,) = said(tmp_path, (HEAD + FAILED).format(state="NODE_FAIL", folder=tmp_path))
    assert ": NODE_FAIL, try 1; " in line and line.endswith(f"; see {tmp_path}/5.log too")


def test_a_failure_that_a_later_try_made_good_says_so(tmp_path):
    (line,) = said(tmp_path, (HEAD + FAILED + AGAIN).format(state="FAILED", folder=tmp_path), MEMORY)
    assert line.endswith("Slurm job 5: MEMORY; done in try 2 as Slurm job 6")


def test_a_job_that_sbatch_refuses(tmp_path):
    refusal = (
        "Error in rule evaluate:\n    message: SLURM sbatch failed. The error message was 'sbatch: error: invalid "
    )
    refusal += "partition specified: gpu'.\n    sbatch call:\n        sbatch\n    jobid: 7\n"
    (line,) = said(tmp_path, HEAD.rsplit("Job 7", 1)[0] + refusal)
    assert "evaluate (policy=gold, seed=0): refused by sbatch: sbatch: error: invalid partition specified: gpu" in line


def test_logs_that_snakemake_shows_are_not_its_own(tmp_path):
    """A failed job's log has the rule again, as the Snakemake within the job numbers it, and srun's complaints."""
    shown = "Logfile x:\n====\n" + HEAD.rsplit("Job 7", 1)[0].replace("jobid: 7", "jobid: 0") + "====\n"
    refusal = "Error in rule evaluate:\n    message: SLURM sbatch failed. The error message was 'sbatch: error: no\n"
    refusal += "sbatch: error: more'.\n    sbatch call:\n        sbatch\n    jobid: 7\n"
    text = (HEAD + FAILED).format(state="FAILED", folder=tmp_path) + shown
    own = "sft: error: none is well formed\nsft: error in process 1: none\nsrun: error: node1: task 0: Exited\n"
    (line,) = said(tmp_path, text, own)
    assert ": Slurm job 5: sft: error: none is well formed, try 1; " in line
    other = shown.replace("jobid: 0", "jobid: 7").replace("gold", "none")  # of another job, by chance with that number
    assert [job.name for job in read(text + other)] == ["evaluate (policy=gold, seed=0)"]
    (job,) = read(text + refusal)
    assert [one.state for one in job.tries] == ["FAILED", "REFUSED"]


@given(st.lists(st.sampled_from([*(HEAD + FAILED + AGAIN + GROUP).splitlines(), "", "   ", "rule x:"])))
def test_any_order_of_lines_is_read(some):
    for job in read("\n".join(some)):
        assert job.tries and job.name and job.state
