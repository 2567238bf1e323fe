"""A run that ends in numbers that are not finite is refused in one line."""

import math

import pytest
import torch

from openswerl.errors import UserError
from openswerl.models.engine import Engine
from openswerl.training.finite import Guard, all_finite, require_finite


@pytest.mark.parametrize(
    ("finite", "stops_at"),
    [
        ("yyyyyy", None),
        ("ynnyny", None),  # three of them, but never three in a row
        ("ynnnyy", 4),
        ("yyyyyn", 6),  # the last step of all
        ("nnn", 3),
    ],
)
def test_stops_after_three_in_a_row_and_at_the_end(finite, stops_at):
    guard = Guard("sft", 3, 6)
    for step, one in enumerate(finite, 1):
        if step == stops_at:
            with pytest.raises(
                UserError, match=rf"up to step {step} had no finite .* lower sft\.optimiser\.lr"
            ) as told:
                guard.watch(step - 1, one == "y")
            assert "\n" not in str(told.value) and "starts anew" in str(told.value)
            return
        guard.watch(step - 1, one == "y")
    assert stops_at is None


def test_nan_and_infinity_are_not_finite():
    assert all_finite(0.0, -1e300) and not all_finite(0.0, math.nan) and not all_finite(math.inf, 1.0)


@pytest.mark.parametrize("stage", [0, 3])
@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_one_weight_that_is_not_finite_is_named(tiny_policy, config, stage, value):
    optimiser = config(f"grpo.optimiser.zero_stage={stage}").grpo.optimiser
    engine = Engine.start(tiny_policy, optimiser)
    require_finite(engine.module, "grpo")
    weights = engine.module.lm_head.weight
    with torch.no_grad():
        getattr(weights, "ds_tensor", weights.view(-1))[3] = value
    with pytest.raises(
        UserError, match=r"lm_head\.weight holds weights that are not finite.* lower grpo\.optimiser\.lr"
    ):
        require_finite(engine.module, "grpo")
