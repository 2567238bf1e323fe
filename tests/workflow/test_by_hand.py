import pytest

"""Scripts and Snakemake make and reuse one set of results."""

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
