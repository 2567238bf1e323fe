"""Every setting of the method says where its value is from; the card shows what the last file to set it says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from omegaconf import OmegaConf

from openswerl.compose import CONF
from openswerl.config import Cell
from openswerl.marks import UNMARKED, Mark, comments, mark_of, read_mark
from openswerl.report.card import GROUPS, card_rows

FILES = [path for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]
YAML = """\
# a comment of the file
defaults: [other]
plain: 1 # paper 3.1: "32" # or so
text: "a # b" # our choice: it's short
hash: a#b
nested: # of the mapping, not of its values
  inner: [1, 2] # engineering: a list
  block:
    - 1
flow: {one: 1, two: {three: "}"}} # our choice: all of the line
empty: {} # engineering: no keys
"""


def names(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def test_comments_of_every_kind_of_line(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(YAML)
    assert comments(path) == {
        "plain": 'paper 3.1: "32" # or so',
        "text": "our choice: it's short",
        "hash": "",
        "nested.inner": "engineering: a list",
        "nested.block": "",
        "flow.one": "our choice: all of the line",
        "flow.two.three": "our choice: all of the line",
        "empty": "engineering: no keys",
    }


@pytest.mark.parametrize(
    ("comment", "mark"),
    [
        ("paper 3.1: the context", Mark("paper", "3.1: the context")),
        ("our choice: measured", Mark("our choice", "measured")),
        ("engineering: disk space", Mark("engineering", "disk space")),
        ("engineered", Mark(UNMARKED, "engineered")),
        ("not printed in the paper", Mark(UNMARKED, "not printed in the paper")),
        ("", Mark(UNMARKED)),
    ],
)
def test_a_comment_is_a_mark_only_by_its_first_words(comment: str, mark: Mark) -> None:
    assert read_mark(comment) == mark


@pytest.mark.parametrize("path", FILES, ids=names)
def test_every_line_of_the_method_is_marked_with_a_reason(path: Path) -> None:
    marks = {key: read_mark(comment) for key, comment in comments(path).items()}
    assert not [key for key, mark in marks.items() if mark.source == UNMARKED or not mark.note]


def test_the_last_to_set_a_value_is_named() -> None:
    cell = Cell("grpo", ("scale=smoke", "grpo.prompts_per_step=3", "reward=discrete"))
    marks = {key: mark_of(key, cell.overrides, cell.choices) for key in ("grpo.prompts_per_step", "grpo.steps")}
    assert marks["grpo.prompts_per_step"] == Mark("command line")
    assert marks["grpo.steps"] == Mark("scale", "smoke")
    localisation = mark_of("sft.localisation", ("scale=laptop",), Cell("sft", ("scale=laptop",)).choices)
    said = "the base finds files already, and the time goes to repairs"
    assert localisation == Mark("our choice", said)
    own = mark_of("reward.kind", cell.overrides, cell.choices)
    assert own == read_mark(comments(CONF / "reward" / "discrete.yaml")["kind"])
    extended = mark_of("reward.format_penalty", cell.overrides, cell.choices)
    assert "format_penalty" not in comments(CONF / "reward" / "discrete.yaml")
    assert extended == read_mark(comments(CONF / "reward" / "continuous.yaml")["format_penalty"])


@pytest.mark.parametrize("scale", sorted(path.stem for path in (CONF / "scale").glob("*.yaml")))
def test_the_files_named_as_sources_hold_the_values_of_the_composed_config(scale: str) -> None:
    """An independent walk: read each file in the order of the marks, and compare its value with Hydra's."""
    for reward, sft in (("continuous", "paper"), ("discrete", "gold")):
        cell = Cell("grpo", (f"scale={scale}", f"reward={reward}", f"sft={sft}"))
        sources = [CONF / "scale" / f"{scale}.yaml", *(CONF / g / f"{cell.choices[g]}.yaml" for g in GROUPS)]
        for path in reversed(sources):
            tree = yaml.safe_load(path.read_text()) or {}
            nested = tree if path.parent.name == "scale" else {path.parent.name: tree}
            wanted = {k: v for k, v in flat(nested) if k.partition(".")[0] in GROUPS and not k.endswith(".defaults")}
            over = comments(sources[0]) if path != sources[0] else {}
            for key, value in wanted.items():
                if key not in over:
                    assert OmegaConf.select(cell.cfg, key) == value, (path, key)


def flat(tree: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from flat(value, f"{prefix}.{key}" if prefix else key)
    else:
        yield prefix, tree


def test_the_card_has_every_key_of_every_group_and_marks_it() -> None:
    before = Cell("report", ("scale=laptop",)).before
    rows = card_rows(before)
    cfg = next(cell.cfg for cell in before if cell.stage == "grpo")
    keys = {key for group in GROUPS for key, _ in flat(OmegaConf.to_container(cfg[group]), group)}
    assert {f"{row.group}.{row.key}" for row in rows} == keys
    assert not [row for row in rows if row.mark.source == UNMARKED]


def test_rows_say_which_cells_had_the_value() -> None:
    rows = {(row.group, row.key, row.value): row.used_by for row in card_rows(Cell("report").before)}
    assert rows["grpo", "steps", str(Cell("grpo").cfg.grpo.steps)] == "grpo"
    assert rows["model", "name", "laptop"] == "sft, grpo, evaluate"
    assert rows["sft", "name", "gold"] == "sft-gold" and rows["sft", "name", "paper"] == "sft-paper"
    assert rows["reward", "name", "discrete"] == "grpo-discrete"
    # sft reads whether an answer is right, and not what a malformed one earns
    assert rows["reward", "name", "continuous"] == "sft, grpo-continuous"
    assert rows["reward", "max_unscorable", str(Cell("sft").cfg.reward.max_unscorable)] == "sft, grpo"
    assert rows["reward", "format_penalty", str(Cell("grpo").cfg.reward.format_penalty)] == "grpo"
