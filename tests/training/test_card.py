"""The model card says what a policy was made from, and where each setting is from."""

from importlib.metadata import version

import pytest

from openswerl.training.card import model_card
from training_fixtures import SMALL, job_of

COUNTS = {"instances": 640, "left_out": {"prompt_too_long": 3}, "steps": 80}


@pytest.fixture
def card(tmp_path):
    """The lines of the card of a stage under overrides."""
    return lambda *overrides, stage="grpo": model_card(job_of(stage, tmp_path, *overrides), COUNTS).splitlines()


def test_provenance(card, tmp_path):
    settings = ("seed=7", "model.path=some/base", "model.revision=v2")
    lines = card(*settings)
    for line in (
        "| base | some/base at revision v2 |",
        f"| config digest | {job_of('grpo', tmp_path, *settings).digest} |",
        "| seed | 7 |",
        "| instances | 640 |",
        f"| torch | {version('torch')} |",
        f"| deepspeed | {version('deepspeed')} |",
    ):
        assert line in lines


def test_the_shipped_base_is_named_without_a_path(card):
    assert "| base | the laptop model that openswerl ships |" in card()


def test_settings_carry_the_mark_of_whoever_set_them_last(card):
    lines = card("scale=smoke", "grpo.temperature=0.9")
    assert any(line.startswith("| advantage_scaling | group_std | paper: Eq. 2") for line in lines)
    assert any(line.startswith("| optimiser.lr | 0.0005 | our choice: ") for line in lines)
    assert "| temperature | 0.9 | command line |" in lines
    assert any(line.startswith("| steps | 3 | ") and "command line" not in line for line in lines)
    assert any(line.startswith("| refuse_marker_inside_block | true | ") for line in lines)
    assert {f"### {group}" for group in ("grpo", "reward", "model", "rollout", "edits", "prompt")} <= {*lines}


def test_a_scale_keeps_its_marks(card):
    (row,) = (line for line in card("scale=laptop", stage="sft") if line.startswith("| localisation |"))
    assert row.startswith("| localisation | 0.0 | our choice: the base finds files already")


@pytest.mark.slow
def test_no_path_of_this_machine_but_where_the_base_is_from(card, tmp_path):
    lines = card("reward=execution", "++reward.options.clones=clones/of/mine", f"model.path={tmp_path}")
    assert any(line.startswith("| options.clones | a local path |") for line in lines)
    assert any(line.startswith(f"| path | {tmp_path} |") for line in lines)
    lines = card("sft.mix.path=mine.jsonl", "sft.mix.share=0.1", "rollout.stop='</solution>'", stage="sft")
    assert any(line.startswith("| mix.path | a local path |") for line in lines)
    assert any(line.startswith("| stop | </solution> |") for line in lines)
    options = card("+reward.options.home=/home/me/x", "+reward.options.near=../x")
    assert not [line for line in options if "/home/me" in line or "../x" in line]


@pytest.mark.parametrize("stage", ["sft", "grpo"])
def test_the_backend_is_that_of_the_run(card, stage):
    assert [line for line in card("rollout=vllm", stage=stage) if line.startswith("| backend | vllm |")]


def test_a_table_row_has_three_cells(card):
    rows = [line for line in "\n".join(card(*SMALL)).split("## Settings")[1].splitlines() if line.startswith("|")]
    assert len(rows) > 40 and all(row.count("|") == 4 for row in rows)
