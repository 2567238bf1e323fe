"""Scripts and Snakemake make and reuse one set of results."""

import pytest

SMOKE = ("--config", "scale=smoke")


@pytest.mark.slow
def test_snakemake_reuses_what_a_script_made_and_replans_it_after_an_edit(project):
    done = project.script("laptop", "scale=smoke")
    assert (done.returncode, done.stderr) == (0, "")
    assert project.plan("laptop", *SMOKE) == set()
    project.edit("data/laptop.yaml", "  seed", "91")
    assert project.plan("laptop", *SMOKE) == {"laptop"}


@pytest.mark.slow
def test_a_script_with_another_value_is_refused_and_replanned(project):
    assert project.script("laptop", "scale=smoke", "data.world.seed=1").returncode == 0
    refused = project.script("crawl", "scale=smoke")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "results/smoke/laptop/result.json was made by another config" in refused.stderr
    assert project.plan("laptop", *SMOKE) == {"laptop"}


@pytest.mark.slow
def test_a_script_reuses_what_snakemake_made(project):
    done = project.snakemake("crawl", *SMOKE)
    assert done.returncode == 0, done.stdout + done.stderr
    again = project.script("crawl", "scale=smoke")
    assert "crawl: results/smoke/data/crawl is up to date" in again.stdout
    assert project.plan("crawl", *SMOKE) == set()


@pytest.mark.slow
def test_a_multirun_is_reused_whole_and_another_value_is_planned_again(project):
    grid = ("--config", "scale=smoke", "overrides=grid.reward=[continuous,discrete] grid.variant=[default,kl-0.02]")
    data = project.snakemake("sft_all", "--config", "scale=smoke")
    assert data.returncode == 0, data.stdout + data.stderr
    cells = {f"grpo/{variant}{reward}/0" for variant in ("", "kl-0.02/") for reward in ("continuous", "discrete")}
    assert project.plan("grpo_all", *grid) == cells
    axes = ("-m", "scale=smoke", "reward=continuous,discrete", "variant=default,kl-0.02", "seed=0")
    done = project.script("grpo", *axes)
    assert done.returncode == 0, done.stderr
    assert project.plan("grpo_all", *grid) == set()

    other = ("scale=smoke", "reward=continuous", "seed=1", "grpo.clip_low=0.1")
    assert project.script("grpo", "-m", *other).returncode == 0
    result = "results/smoke/grpo/continuous/seed1/result.json"
    assert project.plan(result, "--config", "scale=smoke", "overrides=grpo.clip_low=0.1") == set()
    assert project.plan(result, *SMOKE) == {"grpo/continuous/1"}
