import numpy as np
import pytest
from scipy.stats import bootstrap

from figure_runs import evaluation
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.pooled import pooled


def test_one_seed_is_table_2(setting: Setting) -> None:
    """Seven of eight: Wilson 52.9 to 97.8."""
    (found,) = pooled([evaluation("base", 0, [True] * 7 + [False])], "gate", "resolved", setting.settings)
    assert (found.instances, found.seeds) == (8, [0.875])
    assert (found.rate.low, found.rate.high) == pytest.approx((0.529, 0.978), abs=5e-4)


def test_several_seeds_are_averaged_instance_by_instance(setting: Setting) -> None:
    flags = np.random.default_rng(3).random((3, 60)) < 0.6
    runs = [evaluation("grpo-continuous", seed, row.tolist()) for seed, row in enumerate(flags)]
    (found,) = pooled(runs, "gate", "resolved", setting.settings)
    assert found.instances == 60
    assert found.seeds == pytest.approx(flags.mean(axis=1)) and found.rate.value == pytest.approx(flags.mean())
    other = bootstrap((flags.mean(axis=0),), np.mean, method="percentile", n_resamples=4000, rng=5).confidence_interval
    assert (found.rate.low, found.rate.high) == pytest.approx((other.low, other.high), abs=0.015)


def test_an_instance_counts_if_it_was_judged_under_every_seed(setting: Setting) -> None:
    first, second = evaluation("sft", 0, [True, False, False]), evaluation("sft", 1, [True, True])
    (found,) = pooled([first, second], "gate", "resolved", setting.settings)
    assert (found.instances, found.rate.value, found.seeds) == (2, 0.75, pytest.approx([1 / 3, 1.0]))


def test_a_split_without_answers_has_no_rate(setting: Setting) -> None:
    assert pooled([evaluation("base", 0, [True])], "templates", "resolved", setting.settings) == []
