"""The last words of jobs, from Snakemake's own form of log."""

from pathlib import Path

import pytest

from openswerl.workflow.failures import tell

LOG = """\
[Mon Jan  1 00:00:00 2026]
Error in rule {rule}:
    message: None
    jobid: 1
    output: results/a.json
    log: {log} (check log file(s) for error details)
    shell:
        python scripts/{rule}.py
"""
SUBMITTED = """\
[Mon Nov 30 17:49:42 2026]
rule {rule}:
    log: {log}
    jobid: {number}
    wildcards: variant=
Job {number} has been submitted with SLURM jobid 5 (log: {folder}/5.log).
[Mon Nov 30 17:50:22 2026]
Error in rule {rule}:
    message: SLURM-job '5' failed, SLURM status is: 'FAILED'. More is in its log.
    jobid: {number}
    log: {log}, {folder}/5.log (check log file(s) for error details)
"""


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("some line\ngrpo: error: no space left; mend it\n", "grpo: error: no space left; mend it"),
        ("grpo: error in process 1: lost\nTraceback\n", "grpo: error in process 1: lost"),
        ("Traceback\n  File\nKilled\n\n", "grpo: failed; it last wrote: Killed"),
        ("", "grpo: failed, and its log is empty: killed, or a full disk?"),
        (None, "grpo: failed, and its log cannot be read: No such file or directory"),
    ],
)
def test_the_error_of_a_job_or_its_last_line(tmp_path, written, told, capsys):
    job, log = tmp_path / "grpo.log", tmp_path / "snakemake.log"
    if written is not None:
        job.write_text(written)
    log.write_text(LOG.format(rule="grpo", log=job) * 2)
    tell([str(log)])
    assert capsys.readouterr().err == f"\n{told} (log: {job})\n"


def said_of(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    (folder / "x.snakemake.log").write_text(text)
    tell([str(folder / "x.snakemake.log")])
    return capsys.readouterr().err.splitlines()


def test_each_failed_job_is_a_line_and_its_stage_speaks_before_its_launcher(tmp_path, capsys):
    first, second = tmp_path / "crawl.log", tmp_path / "relate.log"
    first.write_text("crawl: 3 of 9\ncrawl: error: it is full\nlaunch: error: process 0 ended with 1\n")
    second.write_text("relate: 1 of 9\n")
    text = LOG.format(rule="crawl", log=first) + LOG.format(rule="relate", log=second)
    assert said_of(tmp_path, text, capsys) == [
        "",
        f"crawl: error: it is full (log: {first})",
        f"relate: failed; it last wrote: relate: 1 of 9 (log: {second})",
    ]


def test_a_job_on_a_cluster_is_told_once_and_hides_no_other(tmp_path, capsys):
    here, there = tmp_path / "crawl.log", tmp_path / "sft.log"
    here.write_text("crawl: error: it is full\n")
    there.write_text("sft: error: no instances\n")
    text = SUBMITTED.format(rule="sft", number=7, log=there, folder=tmp_path)
    said = said_of(tmp_path, text + LOG.format(rule="crawl", log=here), capsys)
    assert said[0] == "" and said[1].startswith("cluster: sft: Slurm job 5: sft: error: no instances")
    assert said[2:] == [f"crawl: error: it is full (log: {here})"]
