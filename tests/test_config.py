import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from omegaconf.errors import ConfigAttributeError, ReadonlyConfigError

from openswerl.archive.spans import spans
from openswerl.compose import CONF, load
from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.graph import wildcards
from openswerl.schema import Config
from openswerl.stages import STAGES

OPTIONS = sorted(path.relative_to(CONF).with_suffix("") for path in CONF.glob("*/*.yaml"))
INFRASTRUCTURE = {"results", "run_dir", "tracking", "plan", "resources"}


@pytest.mark.parametrize("option", OPTIONS, ids=str)
def test_every_file_composes(option):
    assert OmegaConf.missing_keys(load(f"{option.parent}={option.name}")) == set()


@pytest.mark.slow
@pytest.mark.parametrize("option", OPTIONS, ids=str)
def test_every_stage_has_an_identity_under_every_file(option):
    stages = {*STAGES} - {"report"} if option.parent.name == "variant" else STAGES  # a report has several
    for stage in stages:
        assert len(Cell(stage, (f"{option.parent}={option.name}",)).digest) == 12


@pytest.mark.parametrize("option", [o for o in OPTIONS if o.parent.name in ("sft", "reward", "model")], ids=str)
def test_a_file_of_an_axis_carries_its_own_name(option):
    """Folders are named by the value, targets by the file."""
    assert load(f"{option.parent}={option.name}")[option.parent.name].name == option.name


def test_a_scale_carries_its_own_name():
    for path in (CONF / "scale").glob("*.yaml"):
        assert load(f"scale={path.stem}").run_dir == f"results/{path.stem}"


def test_every_key_is_read_by_some_stage():
    read = {key.split(".")[0] for stage in STAGES.values() for key in stage.reads + stage.untracked}
    assert read | INFRASTRUCTURE == {field.name for field in fields(Config)}


@pytest.mark.parametrize("stage", STAGES)
def test_an_undeclared_read_raises(stage):
    view = Cell(stage).view()
    declared = {key.split(".")[0] for key in STAGES[stage].reads + STAGES[stage].untracked}
    for key in {field.name for field in fields(Config)} - declared:
        with pytest.raises(ConfigAttributeError, match=key):
            getattr(view, key)
    for key in declared:
        assert getattr(view, key) is not None


def test_a_stage_cannot_change_its_config():
    with pytest.raises(ReadonlyConfigError):
        Cell("grpo").view().grpo.steps = 3


def test_only_the_declared_part_of_a_group_is_shown():
    with pytest.raises(ConfigAttributeError, match="source"):
        _ = Cell("laptop").view().data.source


def changed(override: str) -> set[str]:
    """Return the folders of the grid's cells whose digest an override changes."""
    cells = [Cell("report", GRID)]
    for cell in cells:
        cells.extend(before for before in cell.before if before not in cells)
    different = (cell for cell in cells if Cell(cell.stage, (override, *cell.overrides)).digest != cell.digest)
    return {str(cell.folder.relative_to("results/laptop")) for cell in different}


GRID = ("grid.seed=[0]", "grid.reward=[continuous, discrete]", "grid.baselines=[base, sft, sft-gold]")
GRID += ("grid.ood=[base, sft, grpo-continuous]",)
REWARDS = ("continuous", "discrete")
EVALUATED = ("gold", "none", "base", "sft", "sft-gold", "grpo-continuous", "grpo-discrete")
GRPO = {f"grpo/{name}/seed0" for name in REWARDS} | {f"evaluate/grpo-{name}/seed0" for name in REWARDS}
GRPO |= {"ood/grpo-continuous/seed0"}
SFT = {"sft/paper/seed0", "sft/gold/seed0", "evaluate/sft/seed0", "evaluate/sft-gold/seed0", "ood/sft/seed0"}


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("tracking.wandb=disabled", set()),
        ("results=elsewhere", set()),
        ("report.title=x", {"report"}),
        ("grpo.clip_low=0.3", {"report", *GRPO}),
        ("ood.test_timeout_s=5", {"report", *(f"ood/{name}/seed0" for name in ("base", "sft", "grpo-continuous"))}),
        ("evaluate.samples=5", {"report", *(f"evaluate/{name}/seed0" for name in EVALUATED)}),
        (
            "sft.steps=7",
            {"report", *SFT},
        ),
    ],
)
def test_what_changes_an_identity(override, expected):
    assert changed(override) == expected


def test_another_world_changes_every_stage():
    assert {name.removeprefix("data/").split("/")[0] for name in changed("data.world.seed=1")} == {*STAGES} - {
        "answer",
        "preflight",
    }


@pytest.mark.slow
def test_the_digest_does_not_depend_on_the_process():
    code = "from openswerl.config import Cell; print(Cell('report', ('scale=smoke',)).digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert digests == {Cell("report", ("scale=smoke",)).digest + "\n"}


def test_the_digest_covers_the_results_before():
    plain, other = Cell("grpo"), Cell("grpo", ("relate.max_files=3",))
    assert plain.params == other.params
    assert plain.digest != other.digest


def test_the_content_of_benchmark_rows_belongs_to_the_digest(tmp_path):
    """In another process each time: within one, a file is read once."""
    rows = tmp_path / "rows.jsonl"
    code = "import sys; from openswerl.config import Cell; print(Cell('curate', (sys.argv[1],)).digest)"
    digests = []
    for text in ("one", "other", "one", None):
        rows.write_text(text) if text else rows.unlink()
        command = [sys.executable, "-c", code, f"curate.benchmark_rows=[{rows}]"]
        digests.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert digests[0] == digests[2]
    assert len(set(digests)) == 3


def test_setting_an_axis_is_what_hydra_composes():
    overrides = ["scale=smoke", "policy=sft", "seed=3"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        expected = compose("config", overrides)
    OmegaConf.resolve(expected)
    assert load(*overrides) == expected


def test_the_last_override_of_a_key_wins():
    assert load("seed=1", "reward=discrete", "seed=2", "reward=continuous") == load("reward=continuous", "seed=2")


def test_axes_of_other_stages_make_no_difference():
    assert Cell("relate", ("seed=3", "reward=discrete", "policy=sft")).digest == Cell("relate").digest


@pytest.mark.parametrize(
    ("stage", "overrides", "folder"),
    [
        ("laptop", (), "results/laptop/laptop"),
        ("archive", ("data=paper", "span=2015-02"), "results/laptop/data/archive/2015-02"),
        ("curate", ("scale=smoke",), "results/smoke/data/curate"),
        ("sft", ("sft=gold", "seed=2"), "results/laptop/sft/gold/seed2"),
        ("grpo", ("reward=discrete", "results=r"), "r/laptop/grpo/discrete/seed0"),
        ("evaluate", ("policy=grpo-discrete", "seed=1"), "results/laptop/evaluate/grpo-discrete/seed1"),
        ("ood", ("policy=grpo-discrete", "seed=1"), "results/laptop/ood/grpo-discrete/seed1"),
        ("report", (), "results/laptop/report"),
    ],
)
def test_path_grammar(stage, overrides, folder):
    assert Cell(stage, overrides).folder == Path(folder)


@pytest.mark.parametrize(
    ("policy", "before"),
    [
        ("gold", ["laptop"]),
        ("base", ["laptop", "evaluate", "evaluate"]),
        ("sft-gold", ["laptop", "evaluate", "evaluate", "sft"]),
        ("grpo-discrete", ["laptop", "evaluate", "evaluate", "grpo"]),
    ],
)
def test_the_gate_stands_before_every_model(policy, before):
    assert [cell.stage for cell in Cell("evaluate", (f"policy={policy}",)).before] == before


def test_only_policies_of_the_grid_answer_the_out_of_domain_suites():
    overrides = ("grid.baselines=[base]", "grid.reward=[discrete]", "grid.ood=[sft, base, grpo-continuous]")
    cells = [cell.cfg.policy for cell in Cell("report", overrides).before if cell.stage == "ood"]
    assert cells == ["base"]
    for name in ("gold", "grpo", "bass"):
        with pytest.raises(UserError, match=f"grid.ood: {name} is no policy that answers"):
            _ = Cell("report", (f"grid.ood=[base, {name}]",)).before
    assert [cell.stage for cell in Cell("ood", ("policy=sft-gold",)).before] == ["sft"]
    assert not Cell("ood").before


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (("grpo.stepz=3",), "config: Could not override 'grpo.stepz'; Key 'stepz' not in 'Grpo'"),
        (("reward=none",), "config: In 'config': Could not find 'reward/none'; Available options in 'reward': "),
        (("seed=many",), "config: Value 'many' of type 'str' could not be converted to Integer"),
        (("curate.max_seed_files=???",), "config: no value for curate.max_seed_files; give each as key=value"),
        (("policy=nobody",), "policy=nobody is unknown: base, sft, sft-gold, grpo-<reward>"),
        (("memory_mb=-5",), "config: memory_mb=-5 is not 150 or more"),
        (("data.source=nothing",), "config: data.source=nothing is none of laptop, local, gharchive"),
        (("results=",), "config: results is empty; give it a folder"),
        (("curate.min_similarity=7",), "config: curate.min_similarity=7.0 is not from 0 to 1"),
        (("curate.max_overlap=nan",), "config: curate.max_overlap=nan is not from 0 to 1"),
        (("relate.max_files=-1",), "config: relate.max_files=-1 is not 0 or more"),
        (("reward.format_penalty=nan",), "config: reward.format_penalty=nan is not a finite number"),
        (("reward.timeout_reward=nan",), "config: reward.timeout_reward=nan is not a finite number"),
        (("grpo.truncated_reward=-inf",), "config: grpo.truncated_reward=-inf is not a finite number"),
        (("grpo.steps={",), "config: no viable alternative at input '{'"),
        (("relate.llm.max_tree_bytes=9",), "config: a key below one that is null is set: choose the option that has"),
    ],
)
def test_a_mistake_is_one_line(overrides, message):
    with pytest.raises(UserError) as caught:
        _ = Cell("evaluate", overrides).digest
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wildcard", "known", "unknown"),
    [
        ("sft", ["paper", "gold"], ["silver", "paper2", ""]),
        ("reward", ["continuous", "discrete"], ["continuou", "continuous/discrete"]),
        ("policy", ["gold", "none", "base", "sft", "sft-gold", "grpo-discrete"], ["grpo", "grpo-x", "paper"]),
        ("seed", ["0", "12"], ["", "-1", "x"]),
        ("span", ["all", "2015-01"], ["2015", "2015-1", "all-2015-01"]),
    ],
)
def test_wildcards_take_options_of_conf_and_any_seed(wildcard, known, unknown):
    pattern = wildcards()[wildcard]
    assert all(re.fullmatch(pattern, value) for value in known)
    assert not any(re.fullmatch(pattern, value) for value in unknown)


def test_the_paper_scale_has_the_sizes_that_the_paper_prints():
    """Section 3.1: 1,600 steps of 32 problems with 16 rollouts, 16k context, 500 repair and 30 test samples."""
    cfg = load("scale=paper")
    assert (cfg.grpo.steps, cfg.grpo.prompts_per_step, cfg.grpo.group_size) == (1600, 32, 16)
    assert cfg.model.max_prompt_tokens + cfg.model.max_response_tokens == 16 * 1024
    mini = cfg.evaluate.mini
    assert (mini.repair.samples, mini.repair.temperature, mini.reproduction.max_tests) == (500, 1.0, 30)
    assert (cfg.evaluate.splits, cfg.reward.format_penalty) == ({"verified": 500}, -1.0)


def test_the_paper_reads_the_months_that_it_names():
    """Appendix A: 1 January 2015 to 31 August 2024."""
    data = load("data=paper").data
    assert (data.start, data.end) == ("2015-01-01-0", "2024-08-31-23")
    months = spans(data)
    assert (months[0], months[-1], len(months)) == ("2015-01", "2024-08", 9 * 12 + 8)
    assert spans(load("data=laptop").data) == spans(load("data=local").data) == ["all"]


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("2015-02-01-0", "2015-01-01-0", "data.start=2015-02-01-0 is after data.end=2015-01-01-0"),
        ("2015-13-01-0", "2015-01-01-0", "data.start=2015-13-01-0 is not an hour; write it as 2015-01-01-0"),
        ("2015-01-01-0", "null", "data.end=None is not an hour"),
    ],
)
def test_hours_that_make_no_sense_are_one_line(start, end, message):
    with pytest.raises(UserError) as caught:
        _ = Cell("crawl", ("data=paper", f"data.start={start}", f"data.end={end}")).digest
    assert str(caught.value).startswith(message)


def test_reading_the_config_imports_no_torch():
    code = "import sys, openswerl.stage as s; s.load(); print('torch' in sys.modules or 'transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_the_options_of_a_reward_stay_with_it():
    """No other stage knows them, and neither does another reward."""
    clones = "reward.options.clones=/clones"
    cell = Cell("grpo", ("reward=execution", clones))
    assert {before.stage for before in cell.before} == {"relate", "laptop"}
    assert not any(clones in before.overrides for before in cell.before)
    trained = Cell("evaluate", ("policy=grpo-execution", "reward=execution", clones)).before[-1]
    assert trained.view().reward.options.clones == "/clones"


def test_another_record_to_replay_is_another_result(tmp_path):
    digests = []
    for content in ("one", "two"):
        record = tmp_path / content / "record.jsonl"  # a digest is remembered by name
        record.parent.mkdir()
        record.write_text(content)
        digests.append(Cell("evaluate", ("rollout=replay", f"rollout.replay={record}")).params)
    first, second = (json.loads(params)["files"] for params in digests)
    assert [*first.values()] != [*second.values()] and None not in {*first.values(), *second.values()}


@pytest.mark.parametrize(
    ("variant", "stage", "axis", "own"),
    [
        ("kl-0.02", "grpo", "reward=continuous", True),
        ("kl-0.02", "sft", "sft=paper", False),
        ("kl-0.02", "evaluate", "policy=grpo-continuous", True),
        ("kl-0.02", "evaluate", "policy=sft", False),
        ("related-off", "relate", "", True),
        ("related-off", "curate", "", False),
        ("related-off", "evaluate", "policy=base", True),
        ("penalty-2", "sft", "sft=paper", False),
        ("penalty-2", "grpo", "reward=discrete", True),
        ("votes-20", "grpo", "reward=continuous", False),
        ("votes-20", "evaluate", "policy=gold", True),
        ("tidy", "laptop", "", True),
        ("default", "grpo", "reward=continuous", False),
    ],
)
def test_a_variant_has_a_folder_for_what_it_changes_and_shares_the_rest(variant, stage, axis, own):
    overrides = (axis,) if axis else ()
    plain, cell = Cell(stage, overrides), Cell(stage, (*overrides, f"variant={variant}"))
    assert (cell.digest != plain.digest) == own
    there = Path("results/laptop/variants", variant) if own else Path("results/laptop")
    assert cell.folder == there / plain.folder.relative_to("results/laptop")


def test_a_report_is_of_no_variant():
    with pytest.raises(UserError, match=r"^variant is an axis of the grid: .* grid\.variant="):
        _ = Cell("report", ("variant=kl-0.02",)).digest


@pytest.mark.parametrize("path", sorted((CONF / "experiment").glob("*.yaml")), ids=lambda path: path.stem)
def test_an_experiment_names_options_that_there_are(path):
    grid = load(f"experiment={path.stem}").grid
    assert {f"{name}.yaml" for name in grid.variant} <= {file.name for file in (CONF / "variant").iterdir()}
    assert {f"{name}.yaml" for name in grid.reward} <= {file.name for file in (CONF / "reward").iterdir()}
