"""The model card says what a policy was made from, and where each setting is from."""

from importlib.metadata import version

from openswerl.training.card import model_card

COUNTS = {"instances": 640, "left_out": {"prompt_too_long": 3}, "steps": 80}


def test_provenance(config):
    card = model_card(config("seed=7", "model.path=some/base", "model.revision=v2"), "c0ffee123456", COUNTS)
    for line in (
        "| base | some/base at revision v2 |",
        "| config digest | c0ffee123456 |",
        "| seed | 7 |",
        "| instances | 640 |",
        f"| torch | {version('torch')} |",
        f"| deepspeed | {version('deepspeed')} |",
    ):
        assert line in card.splitlines()


def test_the_shipped_base_is_named_without_a_path(config):
    assert "| base | the laptop model that openswerl ships |" in model_card(config(), "d", COUNTS)


def test_settings_carry_the_comment_of_their_file_unless_changed(config):
    lines = model_card(config("grpo.temperature=0.9"), "d", COUNTS).splitlines()
    assert any(line.startswith("| advantage_scaling | group_std | paper Eq. 2") for line in lines)
    assert any(line.startswith("| optimiser.lr | 0.0005 | our choice: ") for line in lines)
    assert "| temperature | 0.9 | set for this run |" in lines
    assert "| group_size | 4 | set for this run |" in lines


def test_a_table_row_has_three_cells(config):
    rows = [
        line for line in model_card(config(), "d", COUNTS).split("## Settings")[1].splitlines() if line.startswith("|")
    ]
    assert len(rows) > 40 and all(row.count("|") == 4 for row in rows)
