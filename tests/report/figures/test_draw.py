import pytest

from figure_runs import evaluation, training
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.draw import draw
from openswerl.report.inputs import Inputs
from openswerl.report.rows import FunnelRow

ALWAYS = ["resolved", "paper-resolved", "funnel", "paper-funnel"]


def names(setting: Setting, rewards: list[str], seeds: int) -> list[str]:
    evaluations = [
        evaluation(p, k, [True, False]) for p in ["base", *(f"grpo-{r}" for r in rewards)] for k in range(seeds)
    ]
    trainings = [training(reward, seed, [0.0, 0.5]) for reward in rewards for seed in range(seeds)]
    found = draw(Inputs(evaluations, [], trainings, {}, [FunnelRow("crawl", "", 0, 9)], [], [], {}), setting)
    assert all(
        "n = " in one.caption and "interval" in one.caption for name, one in found.items() if "paper" not in name
    )
    assert all("aptop scale: not comparable" in one.svg for name, one in found.items() if "paper" not in name)
    return list(found)


def test_without_grpo_there_is_no_figure_of_it(setting: Setting) -> None:
    assert names(setting, [], 1) == ALWAYS


@pytest.mark.parametrize("seeds", [1, 2])
def test_more_seeds_make_no_more_figures(setting: Setting, seeds: int) -> None:
    own = ["figure5-rates", "figure5-curves", "training", "rewards-continuous"]
    assert names(setting, ["continuous"], seeds) == [*ALWAYS, *own]


def test_each_variant_of_several_rewards_has_its_curves(setting: Setting) -> None:
    found = names(setting, ["continuous", "continuous@tidy", "discrete", "discrete@tidy"], 1)
    assert found[4:] == [
        *("figure5-rates", "figure5-curves", "training", "figure5-curves-tidy", "training-tidy"),
        *("rewards-continuous", "rewards-continuous-tidy", "rewards-discrete", "rewards-discrete-tidy"),
    ]
