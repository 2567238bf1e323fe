import re

import pytest

from figure_runs import styles, texts, training
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.palette import LOOKS, look
from openswerl.report.figures.panels import panels
from openswerl.report.figures.training import details, figure5

REWARDS = [name.removeprefix("grpo-") for name in LOOKS if name.startswith("grpo-")]


def bands(document: str, reward: str) -> int:
    return len(styles(document, look(f"grpo-{reward}").colour, "fill")) - texts(document).count(reward)


def test_three_seeds_have_a_band_a_line_and_a_label_in_each_panel(setting: Setting) -> None:
    runs = [training(reward, seed, [seed / 4, 0.5]) for reward in ("continuous", "discrete") for seed in range(3)]
    (panel,) = panels(runs)
    found = figure5(panel, setting)
    shown = texts(found.svg)
    assert shown.count("continuous") == shown.count("discrete") == 3
    assert {"Mean reward, each run\u2019s own", "Well-formed samples, share"} < set(shown)
    assert "Exact matches with the oracle, share" in shown
    for reward in ("continuous", "discrete"):
        assert bands(found.svg, reward) == 3
    dashed = [style for style in styles(found.svg, look("grpo-discrete").colour) if "stroke-dasharray" in style]
    assert len(dashed) == 3, "the discrete reward is told by its dashes too"
    assert (
        "band: lowest to highest seed" in found.caption and "spread of 3 seeds, no confidence interval" in found.caption
    )
    assert "n = 6 runs of 2 steps, 24 samples" in found.caption and "different quantities" in found.caption
    assert "Laptop scale: not comparable" in found.caption and "laptop scale: not comparable" in " ".join(shown)


def test_one_seed_has_no_band_but_its_steps(setting: Setting) -> None:
    (panel,) = panels([training("continuous", 0, [0.0, 1.0])])
    found = figure5(panel, setting)
    assert bands(found.svg, "continuous") == 0
    pale = [style for style in styles(found.svg, look("grpo-continuous").colour) if "stroke-opacity: 0.3" in style]
    assert len(pale) == 3
    assert "One seed, so no band" in found.caption and "different quantities" not in found.caption


def test_six_rewards_are_drawn_without_a_claim_that_1_is_a_match(setting: Setting) -> None:
    (panel,) = panels([training(reward, 0, [0.1, 0.2]) for reward in REWARDS])
    shown = texts(figure5(panel, setting).svg)
    assert all(shown.count(reward) == 3 for reward in REWARDS) and len(REWARDS) == 6
    assert "Samples with reward 1, share" in shown and "Exact matches with the oracle, share" not in shown


def test_what_was_never_scored_has_no_line(setting: Setting) -> None:
    (panel,) = panels([training("continuous", 0, [None, None]), training("discrete", 0, [0.5, 0.5])])
    shown = texts(figure5(panel, setting).svg)
    assert (shown.count("continuous"), shown.count("discrete")) == (2, 3)
    (alone,) = panels([training("continuous", 0, [None])])
    assert texts(figure5(alone, setting).svg).count("continuous") == 2


def test_a_reward_below_the_usual_range_stays_inside(setting: Setting) -> None:
    """Malformed answers may cost 2 (conf/variant/penalty-2)."""
    (panel,) = panels([training("continuous", 0, [-2.0, 1.0])])
    ticks = [text for text in texts(figure5(panel, setting).svg) if re.fullmatch(r"\u2212?\d(\.\d)?", text)]
    assert "\u22122" in ticks


@pytest.mark.parametrize("variant", ["", "tidy"])
def test_details_name_the_variant(setting: Setting, variant: str) -> None:
    runs = [
        training(f"{reward}{'@' + variant if variant else ''}", 0, [0.0, 0.1]) for reward in ("continuous", "discrete")
    ]
    (panel,) = panels(runs)
    shown = texts(details(panel, setting).svg)
    first = "tidy: groups without variance, share" if variant else "Groups without variance, share"
    assert first in shown and "Response length, tokens" in shown
