"""A mistake in the config is one clear line before any job starts."""

import pytest


def refused(project, *arguments: str) -> str:
    done = project.snakemake("--dry-run", *arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr + done.stdout
    assert "rule crawl" not in done.stdout
    return done.stderr + done.stdout


def test_a_misspelt_key_in_a_group_file(project):
    project.edit("reward/discrete.yaml", "kind", "discrete\nformat_penaltyy: -2.0")
    expected = (
        "config: In 'reward/discrete': ConfigKeyError raised while composing config: Key 'format_penaltyy' not in"
    )
    assert expected in refused(project)


def test_a_file_that_is_not_yaml(project):
    project.edit("grpo/laptop.yaml", "clip_low", "[0.2")
    assert "conf/grpo/laptop.yaml" in refused(project)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("overrides=grpo.stepz=3", "config: Could not override 'grpo.stepz'; Key 'stepz' not in 'Grpo'"),
        ("overrides=grpo.steps=many", "Value 'many' of type 'str' could not be converted to Integer"),
        ("overrides=grid.reward=[nothing]", "Could not find 'reward/nothing'; Available options in 'reward'"),
        ("overrides=grid.baselines=[nobody]", "policy=nobody is unknown"),
        ("scale=huge", "Could not find 'scale/huge'; Available options in 'scale': laptop"),
        ("experiment=nothing", "Could not find 'experiment/nothing'"),
        ("smoke=1", "--config smoke is unknown; it takes scale, experiment, results"),
    ],
)
def test_a_mistake_on_the_command_line(project, argument, message):
    assert message in refused(project, "--config", argument)


def test_a_script_says_it_in_one_line(project):
    done = project.script("crawl", "grpo.stepz=3")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "crawl: error: config: Could not override 'grpo.stepz'; Key 'stepz' not in 'Grpo'\n"


def test_a_missing_input_names_the_command_that_makes_it(project):
    done = project.script("crawl", "scale=smoke")
    assert done.returncode == 1
    command = "snakemake --cores all results/smoke/laptop/result.json --config overrides=scale=smoke"
    assert done.stderr == f"crawl: error: results/smoke/laptop is not finished; make it with: {command}\n"
    assert project.plan(*command.split()[3:]) == {"laptop"}


@pytest.mark.slow
def test_a_run_that_fails_ends_with_the_line_of_the_job(project):
    (project.path / "empty").mkdir()
    done = project.snakemake("archive_all", "--config", "overrides=data=local data.path=empty data.clones=empty")
    assert done.returncode == 1 and "Traceback" not in done.stderr + done.stdout
    line = "archive: error: data.path=empty holds no *.json.gz; see docs/your-own-data.md"
    assert f"{line} (log: results/laptop/logs/data/archive/all.log)" in done.stderr.splitlines()[-6:]
