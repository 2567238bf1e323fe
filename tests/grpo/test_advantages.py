"""Advantages against values worked out by hand, a second computation, and what must hold for any rewards."""

import math
import statistics

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from openswerl.grpo.advantages import STD_FLOOR, group_advantages

NAN = math.nan
REWARD = st.floats(-1, 1, allow_nan=False, width=32)
TABLES = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.lists(REWARD, min_size=size, max_size=size), min_size=1, max_size=4)
)


def table(rows):
    return torch.tensor(rows, dtype=torch.float64)


def plain(rows, scaling):
    """Eq. 2 with the statistics module, sample by sample; None for a sample without a reward."""
    everything = [r for row in rows for r in row if r is not None]
    result = []
    for row in rows:
        scored = [r for r in row if r is not None]
        deviation = statistics.stdev(scored) if len(scored) > 1 else 0
        whole = statistics.stdev(everything) if len(everything) > 1 else 0
        scale = {"group_std": deviation + STD_FLOOR, "none": 1, "batch_std": whole + STD_FLOOR}[scaling]
        dead = deviation <= 1e-6
        result.append([0 if r is None or dead else (r - statistics.fmean(scored)) / scale for r in row])
    return result


def test_by_hand():
    advantages, live = group_advantages(table([[1, 0, -1, 0], [0.3, 0.3, 0.3, 0.3]]))
    deviation = math.sqrt(2 / 3)  # sample standard deviation of 1, 0, -1, 0
    assert advantages[0].tolist() == pytest.approx([1 / deviation, 0, -1 / deviation, 0], rel=1e-3)
    assert advantages[1].tolist() == [0, 0, 0, 0]
    assert live.tolist() == [True, False]


def test_other_scalings_by_hand():
    rewards = table([[1, 0], [-1, -1]])
    assert group_advantages(rewards, "none")[0].tolist() == [[0.5, -0.5], [0, 0]]
    whole = math.sqrt(2.75 / 3)  # of 1, 0, -1, -1 with mean -1/4
    assert group_advantages(rewards, "batch_std")[0][0].tolist() == pytest.approx([0.5 / whole, -0.5 / whole], rel=1e-3)


def test_a_masked_sample_has_no_part_in_its_group():
    advantages, live = group_advantages(table([[1, NAN, -1], [NAN, 0.5, NAN], [NAN, NAN, NAN]]), "none")
    assert advantages.tolist() == [[1, 0, -1], [0, 0, 0], [0, 0, 0]]
    assert live.tolist() == [True, False, False]


@given(
    st.integers(2, 5).flatmap(
        lambda size: st.lists(
            st.lists(st.none() | st.sampled_from([-1.0, 0.0, 0.25, 0.8, 1.0]), min_size=size, max_size=size),
            min_size=1,
            max_size=4,
        )
    ),
    st.sampled_from(["group_std", "none", "batch_std"]),
)
def test_equal_to_a_plain_computation(rows, scaling):
    rewards = table([[NAN if r is None else r for r in row] for row in rows])
    expected = plain(rows, scaling)
    for ours, theirs in zip(group_advantages(rewards, scaling)[0].tolist(), expected, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


@given(TABLES, st.sampled_from(["group_std", "none", "batch_std"]))
def test_a_group_sums_to_zero(rows, scaling):
    sums = group_advantages(table(rows), scaling)[0].sum(1)
    assert sums.tolist() == pytest.approx([0] * len(rows), abs=1e-6)


@given(TABLES, st.floats(-5, 5))
def test_a_shift_of_all_rewards_changes_nothing(rows, shift):
    before, live = group_advantages(table(rows))
    assume(all(row.std() > 1e-3 for row in table(rows)))
    after, still_live = group_advantages(table(rows) + shift)
    assert after.flatten().tolist() == pytest.approx(before.flatten().tolist(), abs=1e-6)
    assert still_live.tolist() == live.tolist()


@given(TABLES, st.floats(1, 100))
def test_a_larger_scale_of_rewards_changes_nothing_but_the_floor(rows, scale):
    assume(all(row.std() > 1e-2 for row in table(rows)))
    before, after = group_advantages(table(rows))[0], group_advantages(table(rows) * scale)[0]
    # the floor of 1e-4 beside a deviation of 1e-2 or more
    assert after.flatten().tolist() == pytest.approx(before.flatten().tolist(), rel=1.1e-2, abs=1e-9)


@given(TABLES)
def test_more_reward_never_means_less_advantage(rows):
    for rewards, advantages in zip(rows, group_advantages(table(rows))[0].tolist(), strict=True):
        ranked = [advantage for _, advantage in sorted(zip(rewards, advantages, strict=True))]
        assert ranked == sorted(ranked)
