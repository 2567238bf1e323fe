"""The reference of the config against conf/ itself and lines written by hand."""

import re

import pytest
import yaml
from config_reference import allowed, page, readers, type_of

from openswerl.compose import CONF
from openswerl.limits import CHOICES, LIMITS
from openswerl.stages import STAGES


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """Key to the other cells of its line."""
    lines = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in page().splitlines() if line.startswith("| `")]
    assert len({line[0] for line in lines}) == len(lines), "a key has two lines"
    return {line[0].strip("`"): line[1:] for line in lines}


def names(tree: dict, prefix: str = "") -> set[str]:
    found = set()
    for name, value in tree.items():
        key = f"{prefix}{name}"
        found |= names(value, f"{key}.") if isinstance(value, dict) and value else {key}
    return found


@pytest.mark.parametrize("group", ["grpo", "reward", "sft", "model", "network", "evaluate"])
def test_every_key_of_the_default_files_has_a_line(rows, group):
    config = (CONF / "config.yaml").read_text()
    option = re.search(rf"^  - {group}: (\w+)", config, re.M)[1]
    tree = yaml.safe_load((CONF / group / f"{option}.yaml").read_text())
    tree.pop("defaults", None)
    assert {f"{group}.{key}" for key in names(tree)} <= rows.keys()


def test_a_line_says_all_that_is_known(rows):
    assert rows["grpo.group_size"] == [
        "int", "`8`", "`16`", "at least 2", "our choice: the paper has 16", "preflight, grpo",
    ]  # fmt: skip
    assert rows["reward.format_penalty"][:5] == ["float", "`-1.0`", "", "", "paper Eq. 1"]
    assert rows["rollout.stale"][3] == "`refuse`, `correct`"
    assert rows["model.path"][0] == "str or null"
    assert rows["ood.suites.mmlu.rows"][0] == "str or null", "a key below names that are free"


def test_ranges_types_and_readers():
    assert (allowed("curate.max_overlap"), allowed("model.path")) == ("0 to 1", "")
    assert (type_of("grpo.optimiser.betas"), type_of("grid.seed")) == ("list[float]", "list[int]")
    assert readers("memory_mb") == "(crawl), (curate)"
    assert readers("reward.workers").split(", ") == ["preflight", "grpo", "(sft)"]


def test_nothing_that_is_bounded_or_read_is_without_a_line(rows):
    assert {key for key in [*LIMITS, *CHOICES] if not key.startswith("relate.llm")} <= rows.keys()
    read = {key for stage in STAGES.values() for key in (*stage.reads, *stage.untracked)}
    assert all(any(f"{row}.".startswith(f"{key}.") for row in rows) for key in read)
