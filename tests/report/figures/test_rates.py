"""Figures of rates: all policies, and the two rewards of Figure 5."""

from figure_runs import evaluation, styles, texts
from openswerl.report.figures.ablation import figure5
from openswerl.report.figures.bars import paper_resolved, resolved
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.palette import INK, PAGE, look
from openswerl.report.inputs import Evaluation

HALF, MOST = [True, False] * 4, [True] * 6 + [False] * 2


def grid(seeds: int) -> list[Evaluation]:
    policies = ("base", "grpo-continuous", "grpo-continuous@tidy", "grpo-discrete", "grpo-discrete@tidy")
    return [evaluation(p, seed, MOST if p == "grpo-continuous" else HALF) for p in policies for seed in range(seeds)]


def dots(document: str) -> int:
    """How many points are drawn in the page's own colour."""
    return len([style for style in styles(document, PAGE, "fill") if f"stroke: {INK}" in style])


def test_figure_5_has_both_panels_with_the_papers_numbers_below_ours(setting: Setting) -> None:
    found = figure5(grid(3), setting)
    shown = texts(found.svg)
    rows = ["continuous", "discrete", "continuous, tidy", "discrete, tidy", "paper: continuous", "paper: discrete"]
    assert [text for text in shown if text in rows] == rows * 2, "a variant's rewards stand together"
    a, b = shown.index("(a) Correct format %"), shown.index("(b) Repair: resolved %")
    assert [text for text in shown if text in ("95.6", "94.2", "34.8", "29.0")] == ["95.6", "94.2", "34.8", "29.0"]
    assert shown[:a].count("100.0") == 4 and shown[a:b].count("75.0") == 1 and shown[a:b].count("50.0") == 3
    assert dots(found.svg) >= 2 * 4 * 3, "a dot for each seed"
    assert "SWE-bench Verified, another benchmark, n = 500" in found.caption and "n = 8 \u00d7 3 seeds" in found.caption
    assert "bootstrap over instances" in found.caption and "not the randomness of training" in found.caption
    outlined = [style for style in styles(found.svg, "none", "fill") if look("grpo-discrete").colour in style]
    assert len(outlined) == 2


def test_figure_5_of_one_reward_and_one_seed(setting: Setting) -> None:
    found = figure5([evaluation("grpo-hybrid", 0, HALF)], setting)
    shown = texts(found.svg)
    assert shown.count("hybrid") == 2 and not [text for text in shown if text.startswith("paper")]
    assert dots(found.svg) == 0 and "(Wilson)" in found.caption and "seed" not in found.caption
    assert styles(found.svg, INK)


def test_figure_5_of_answers_that_were_not_judged(setting: Setting) -> None:
    assert "n = 0." in figure5([evaluation("grpo-continuous", 0, HALF, "templates")], setting).caption


def test_every_policy_has_a_bar_a_split(setting: Setting) -> None:
    both = grid(1)
    both[0].outcomes.extend(evaluation("base", 0, [True] * 4, "templates").outcomes)
    found = resolved(both, setting)
    shown = texts(found.svg)
    assert {"Base", "GRPO continuous", "GRPO continuous, tidy", "100.0", "50.0", "75.0"} <= set(shown)
    assert "Full colour: gate split; pale: unseen-template split. n = 8, 4." in found.caption


def test_the_papers_rates_are_once_a_policy() -> None:
    shown = texts(paper_resolved(["base", "base@tidy", "sft-gold", "grpo-discrete@tidy"]).svg)
    assert [text for text in shown if text in ("Base", "SFT gold", "GRPO discrete")] == [
        "Base",
        "SFT gold",
        "GRPO discrete",
    ]
    assert "5.4" in shown and "29.0" in shown and "not in the paper" in shown
