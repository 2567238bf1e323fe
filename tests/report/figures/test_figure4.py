from collections.abc import Sequence

import pytest

from figure_runs import texts
from openswerl.report import evaluated, paper
from openswerl.report.evaluated import Mini, MiniSplit, Point, Regression, Repair
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.figure4 import figure4, papers
from openswerl.report.figures.scaling import curves
from openswerl.report.inputs import Evaluation


def run(policy: str, seed: int, rates: Sequence[float | None]) -> Evaluation:
    points = [
        Point(2**k, 30, 2, rate, (rate or 0) - 0.1, (rate or 0) + 0.1 + seed / 10) for k, rate in enumerate(rates)
    ]
    rest = (evaluated.Tests(30, 1, 1, 1, 1), Regression(30, 1), Repair(8, 4, 0))
    own = MiniSplit(32, None, *rest, scaling={"repair": points, "tests": []})
    return Evaluation(policy, seed, "bubblewrap", [], Mini("honest", 0.95, {"gate": own}))


def test_seeds_are_one_curve_of_means() -> None:
    (found,) = curves([run("sft", 0, [0.2, 0.3]), run("sft", 1, [0.4, None])], "gate", "repair")
    assert found.policy == "sft" and found.instances == (30, 30)
    first, second = found.points
    assert (first.k, first.rate, first.low, first.high) == pytest.approx((1, 30, 20, 45))
    assert first.seeds == pytest.approx([20, 40]) and (second.rate, second.seeds) == (30, [])


def test_each_variant_has_a_panel_and_the_paper_its_own_axis(setting: Setting) -> None:
    drawn = figure4([run(p, s, [0.2, 0.3]) for p in ("base", "sft", "base@tidy") for s in range(3)], setting)
    assert list(drawn) == ["scaling-repair", "scaling-repair-tidy", "paper-scaling-repair"], "no tests, no panel"
    default, tidy, printed = (texts(one.svg) for one in drawn.values())
    assert {"Base", "SFT", "default: resolved %, by repair samples"} < set(default) and "SFT" not in tidy
    assert (
        "dots: each seed" in drawn["scaling-repair"].caption and "n = 30 instances" in drawn["scaling-repair"].caption
    )
    assert not {"33.6", "41.0"} & {*default, *tidy}
    assert "another benchmark" in " ".join(printed)


@pytest.mark.parametrize("axis", ["repair", "tests"])
def test_the_papers_curve_is_labelled_with_its_numbers(axis: str) -> None:
    shown = texts(papers(axis).svg)
    printed = [f"{value:.1f}" for value in paper.SCALING[axis].values()]
    assert [text for text in shown if text in printed] == printed
    assert {str(k) for k in paper.SCALING[axis]} <= set(shown)
