"""The data file against arithmetic of its own: counts of instances, and intervals by SciPy."""

from pathlib import Path

import msgspec
import pytest
from scipy.stats import binomtest

from openswerl.report import paper


def test_each_rate_of_verified_is_a_whole_number_of_500_instances() -> None:
    """A percentage with one decimal of 500 instances is a multiple of 0.2, so a misprint of ours would stand out."""
    numbers = paper.NUMBERS
    rates = [row.resolved for row in numbers.systems.rows if row.whole]
    rates += [rate for row in numbers.repair for rate in (row.format, row.resolved)]
    rates += [*numbers.scaling.repair.values(), *numbers.scaling.tests.values()]
    assert numbers.instances == 500 and len(rates) == 17 + 10 + 11
    assert all(round(rate * 10) % 2 == 0 for rate in rates)
    assert [row.model for row in numbers.systems.rows if round(row.resolved * 10) % 2] == ["o1-preview"]


def test_the_headline_is_205_instances_with_scipys_interval() -> None:
    """Table 1: 41.0 % of 500, and 24 instances more than SFT."""
    rl, sft = paper.MINI["grpo-continuous"].resolved, paper.MINI["sft"].resolved
    assert 41.0 * 500 / 100 == 205 and paper.solved(rl, 500) == 205
    assert paper.solved(rl, 500) - paper.solved(sft, 500) == 24
    expected = binomtest(205, 500).proportion_ci(confidence_level=0.95, method="wilson")
    assert paper.interval(rl, 500, 0.95) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_differences_of_table_2_and_figure_5_in_instances() -> None:
    """174 against 148 of 500 (Table 2), 174 against 145 (Figure 5), and what the vote adds to the base: 83 for 27."""
    instances = {key: paper.solved(row.resolved, 500) for key, row in paper.REPAIR.items()}
    assert instances["grpo-continuous", "greedy"] - instances["sft", "greedy"] == 174 - 148 == 26
    assert instances["grpo-continuous", "greedy"] - instances["grpo-discrete", "greedy"] == 29
    assert (instances["base", "greedy"], instances["base", "vote"]) == (27, 83)
    assert paper.BASE_VOTE.format == 44.6 and paper.ROWS["base"].resolved == 5.4


def test_rl_gains_and_sft_loses_out_of_domain_on_average() -> None:
    """Table 3: SFT falls below the base on five of the eight numbers of Table 3, RL on none."""
    lower = {
        name: [suite for suite, row in paper.OOD.items() if row[name] < row["base"]] for name in paper.OOD_POLICIES
    }
    assert len(lower["sft"]) == 5 and lower["grpo-continuous"] == []


def test_every_number_says_where_it_is_printed() -> None:
    numbers = paper.NUMBERS
    rows = [*numbers.repair, *numbers.funnel, numbers.systems, numbers.scaling, numbers.out_of_domain]
    assert {row.source.split()[0] for row in rows} == {"Table", "Figure", "section", "appendix"}
    assert {row.group for row in numbers.systems.rows} == set(numbers.systems.groups)


@pytest.mark.parametrize(
    ("old", "new"),
    [("resolved: 41.0", "resolved: 410"), ("resolved: 41.0", "resolved: many"), ("instances: 500", "instance: 500")],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "paper.yaml"
    path.write_text(paper.FILE.read_text().replace(old, new, 1))
    with pytest.raises(msgspec.ValidationError):
        paper.read(path)
