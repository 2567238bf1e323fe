"""What a config edit reruns: that, and nothing else."""

import re

import pytest

from openswerl.compose import load

EVALUATED = {f"evaluate/{policy}/0" for policy in ("base", "sft", "sft-gold", "grpo-continuous", "grpo-discrete")}
GATE = {"evaluate/gold/0", "evaluate/none/0"}
OOD = {"ood/base/0", "ood/sft/0", "ood/grpo-continuous/0"}
DATA = {"laptop", "archive/all", "crawl", "curate", "relate"}
TRAINED = {"sft/paper/0", "sft/gold/0", "grpo/continuous/0", "grpo/discrete/0"}


def test_a_fresh_project_plans_the_whole_grid(project):
    assert project.plan() == DATA | TRAINED | GATE | EVALUATED | OOD | {"report"}


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["node8", "paper"])
def test_a_scale_that_was_never_run_plans(project, scale):
    jobs = project.plan("--config", f"scale={scale}")
    assert {"archive/2015-01", "crawl", "sft/paper/0", "grpo/continuous/0", "report"} <= jobs and "laptop" not in jobs


def test_a_finished_project_plans_nothing(finished):
    assert finished.plan() == set()


def test_a_penalty_edit_reruns_exactly_its_variant(finished):
    finished.edit("reward/discrete.yaml", "kind", "discrete\nformat_penalty: -2.5")
    assert finished.plan() == {"grpo/discrete/0", "evaluate/grpo-discrete/0", "report"}


@pytest.mark.slow
def test_an_evaluation_edit_spares_training(finished):
    finished.edit("evaluate/laptop.yaml", "samples", "17")
    assert finished.plan() == GATE | EVALUATED | {"report"}


@pytest.mark.slow
def test_a_curate_edit_reruns_what_follows_but_not_the_gate(finished):
    finished.edit("curate/default.yaml", "max_seed_files", "17")
    assert finished.plan() == {"curate", "relate", "report"} | TRAINED | (EVALUATED | OOD) - {
        "evaluate/base/0",
        "ood/base/0",
    }


def test_a_new_seed_plans_only_its_own_cells(finished):
    finished.edit("config.yaml", "  seed", "[0, 91]")
    new = {job.replace("/0", "/91") for job in TRAINED | EVALUATED | OOD}
    assert finished.plan() == new | {"report"}


def test_overrides_on_the_command_line_act_like_an_edit(finished):
    plan = finished.plan("--config", "overrides=reward.format_penalty=-2.5")
    assert plan == {f"{job}/0" for job in ("grpo/continuous", "grpo/discrete")} | {
        "ood/grpo-continuous/0",
        "evaluate/grpo-continuous/0",
        "evaluate/grpo-discrete/0",
        "report",
    }


@pytest.mark.slow
def test_parts_are_jobs_of_their_own(project):
    jobs = project.plan("--config", "overrides=parts=2")
    answers = {job.replace("evaluate", "answer") for job in GATE | EVALUATED}
    parts = {f"{job}/{number}-of-2" for job in answers for number in (1, 2)}
    assert jobs == DATA | TRAINED | GATE | EVALUATED | OOD | parts | {"report"}


VARIED = {"grpo/penalty-2/continuous/0", "evaluate/penalty-2/grpo-continuous/0"}


@pytest.mark.slow
def test_an_edit_of_a_variant_reruns_its_training_evaluation_and_report(project):
    config = ("--config", "overrides=grid.variant=[default,penalty-2] grid.reward=[continuous] grid.ood=[]")
    others = {job for job in TRAINED | EVALUATED if "discrete" not in job}
    assert project.plan(*config) == DATA | GATE | others | VARIED | {"report"}
    project.finish(*config)
    assert project.plan(*config) == set()
    project.edit("variant/penalty-2.yaml", "reward", "{format_penalty: -2.5}")
    assert project.plan(*config) == VARIED | {"report"}
    assert project.plan("--config", "overrides=grid.reward=[continuous] grid.ood=[]") == {"report"}


@pytest.mark.slow
def test_an_experiment_shares_what_it_does_not_change(finished):
    plan = finished.plan("--config", "experiment=format_penalty", "overrides=grid.seed=[0]")
    assert plan == VARIED | {"report"}


def test_arguments_alone_rerun_nothing(finished):
    """Guards the trick in common.smk: `args` takes `input`, so Snakemake does not compare it."""
    override = ("--config", "overrides=tracking.wandb=disabled")
    assert "crawl.py tracking.wandb=disabled" in finished.snakemake("--dry-run", "--force", "crawl", *override).stdout
    assert finished.plan(*override) == set()


@pytest.mark.slow
def test_a_comment_the_order_of_keys_and_the_form_of_numbers_rerun_nothing(finished):
    clip = load().grpo.clip_low
    finished.edit("grpo/laptop.yaml", "clip_low", f"{clip:e} # a comment")
    path = finished.conf / "reward/continuous.yaml"
    path.write_text("\n".join(reversed(path.read_text().splitlines())))
    assert finished.plan() == set()


@pytest.mark.slow
def test_the_grid_decides_who_answers_the_out_of_domain_suites(finished):
    finished.edit("config.yaml", "  ood", "[]")
    assert finished.plan() == {"report"}
    finished.edit("config.yaml", "  ood", "[base, sft-gold]")
    assert finished.plan() == {"ood/sft-gold/0", "report"}


@pytest.mark.parametrize(
    ("target", "jobs"),
    [
        ("relate", DATA),
        ("sft_all", DATA | {"sft/paper/0", "sft/gold/0"}),
        ("ood_all", DATA | {"sft/paper/0", "grpo/continuous/0"} | OOD),
        ("grpo_all", DATA | {"grpo/continuous/0", "grpo/discrete/0"}),
        ("results/laptop/grpo/discrete/seed7/result.json", DATA | {"grpo/discrete/7"}),
    ],
)
def test_named_targets(project, target, jobs):
    assert project.plan(target) == jobs


@pytest.mark.slow
def test_data_of_ones_own_need_no_laptop_world(project):
    plan = project.plan("relate", "--config", "overrides=data=local data.path=a data.clones=b")
    assert plan == {"archive/all", "crawl", "curate", "relate"}


@pytest.mark.slow
def test_a_new_hour_file_of_ones_own_is_noticed(project):
    hours = project.path / "hours"
    hours.mkdir()
    (hours / "2015-01-01-0.json.gz").touch()
    shown = project.snakemake("--dry-run", "archive_all", "--config", f"overrides=data=local data.path={hours}")
    assert "input: " + str(hours / "2015-01-01-0.json.gz") in shown.stdout


@pytest.mark.slow
def test_a_download_is_read_month_by_month(project):
    override = "overrides=data=paper data.start=2015-11-30-5 data.end=2016-02-01-0"
    months = {f"archive/{month}" for month in ("2015-11", "2015-12", "2016-01", "2016-02")}
    assert project.plan("crawl", "--config", override) == months | {"crawl"}


def test_the_graph_is_the_chain_of_digests(project):
    """Each job reads the results of exactly the cells before it, and writes where the stage itself would."""
    done = project.snakemake("--dry-run").stdout
    planned = {}
    for block in re.findall(r"^rule \w+:\n(.*?)^Shell", done, re.M | re.S):
        files = {key: re.search(rf"^    {key}: (.*)$", block, re.M) for key in ("input", "output")}
        results = {
            key: {file.removesuffix("/result.json") for file in found[1].split(", ") if file.endswith("/result.json")}
            for key, found in files.items()
            if found
        }
        if "output" in results:
            planned[results["output"].pop()] = results.get("input", set())
    cells = project.cells()
    assert planned == {str(cell.folder): {str(before.folder) for before in cell.before} for cell in cells}


def test_the_wandb_report_is_made_on_request_alone_and_needs_no_stage_again(finished):
    assert finished.plan("wandb_report") == {"wandb_report"}
