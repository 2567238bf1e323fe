"""The last words of jobs, from Snakemake's own form of log."""

import pytest

from openswerl.failures import last_words

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


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("some line\ngrpo: error: no space left; mend it\n", "grpo: error: no space left; mend it"),
        ("grpo: error in process 1: lost\nTraceback\n", "grpo: error in process 1: lost"),
        ("Traceback\n  File\nKilled\n\n", "grpo: failed; it last wrote: Killed"),
        ("", "grpo: failed; it last wrote: nothing"),
        (None, "grpo: failed, and its log cannot be read: No such file or directory"),
    ],
)
def test_the_error_of_a_job_or_its_last_line(tmp_path, written, told):
    job, log = tmp_path / "grpo.log", tmp_path / "snakemake.log"
    if written is not None:
        job.write_text(written)
    log.write_text(LOG.format(rule="grpo", log=job) * 2)
    assert last_words([str(log)]) == [f"{told} (log: {job})"]


def test_each_failed_job_has_a_line(tmp_path):
    log = tmp_path / "snakemake.log"
    log.write_text("".join(LOG.format(rule=rule, log=tmp_path / rule) for rule in ("sft", "grpo")))
    assert [line.partition(":")[0] for line in last_words([str(log)])] == ["sft", "grpo"]
