"""The objective against values worked out by hand and against a second computation, token by token."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.grpo.loss import ESTIMATORS, NORMALISATIONS, RATIOS, Batch, Objective, grpo_loss

MASK = torch.tensor([[True, True, False], [True, True, True]])
BATCH = Batch(sequences=2, tokens=5, longest=4)


def loss(logprobs, old, advantages, reference=None, batch=BATCH, **choices):
    return grpo_loss(logprobs, old, reference, torch.tensor(advantages), MASK, batch, Objective(**choices))


def plain_loss(now, old, reference, advantages, batch, choices):
    """Eq. 2 over lists of unequal length, with math alone; returns the loss and the shares that were clipped."""
    total, low, high = 0.0, 0, 0
    for p, q, ref, gain in zip(now, old, reference, advantages, strict=True):
        for t in range(len(p)):
            change = {
                "token": p[t] - q[t],
                "sequence": sum(p) - sum(q),
                "geometric": (sum(p) - sum(q)) / len(p),
            }[choices.ratio]
            ratio = math.exp(change)
            clipped = min(max(ratio, 1 - choices.clip_low), 1 + choices.clip_high)
            low += ratio < 1 - choices.clip_low and gain < 0
            high += ratio > 1 + choices.clip_high and gain > 0
            d = ref[t] - p[t]
            kl = {"k1": -d, "k2": d * d / 2, "k3": math.exp(d) - 1 - d}[choices.kl_estimator]
            value = -min(ratio * gain, clipped * gain) + choices.kl_coefficient * kl
            total += {
                "sequence": value / len(p) / batch.sequences,
                "token": value / batch.tokens,
                "constant": value / batch.longest / batch.sequences,
            }[choices.normalisation]
    return total, low, high


def test_on_policy_loss_is_minus_the_mean_advantage():
    logprobs = torch.full((2, 3), -1.0)
    terms = loss(logprobs, logprobs, [0.5, -2.0])
    assert terms.loss.item() == pytest.approx(-(0.5 - 2.0) / 2)
    assert terms.sums["clipped_low"] == terms.sums["clipped_high"] == 0
    assert terms.sums["ratio"] == terms.sums["tokens"] == 5


def test_clip_limits_the_gain_but_not_the_loss():
    logprobs = torch.full((2, 3), math.log(1.5))
    # advantage 1: min(1.5, 1.2) = 1.2; advantage -1: min(-1.5, -1.2) = -1.5
    terms = loss(logprobs, torch.zeros(2, 3), [1.0, -1.0])
    assert terms.loss.item() == pytest.approx(-(1.2 - 1.5) / 2, abs=1e-6)
    assert (terms.sums["clipped_low"], terms.sums["clipped_high"]) == (0, 2)  # the two tokens of the first row


def test_the_bounds_are_two_numbers():
    logprobs = torch.tensor([[math.log(1.5)] * 3, [math.log(0.5)] * 3])
    terms = loss(logprobs, torch.zeros(2, 3), [1.0, -1.0], clip_low=0.3, clip_high=0.4)
    assert terms.loss.item() == pytest.approx(-(1.4 - 0.7) / 2, abs=1e-6)
    assert (terms.sums["clipped_low"], terms.sums["clipped_high"]) == (3, 2)


def test_normalisations_by_hand():
    logprobs = torch.tensor([[math.log(1.1)] * 3, [0.0] * 3])  # 2 tokens of 1.1 and 3 of 1
    values = {
        name: loss(logprobs, torch.zeros(2, 3), [1.0, 1.0], normalisation=name).loss.item() for name in NORMALISATIONS
    }
    assert values == pytest.approx({"sequence": -(1.1 + 1) / 2, "token": -(2.2 + 3) / 5, "constant": -(2.2 + 3) / 8})


def test_ratios_by_hand():
    logprobs = torch.tensor([[math.log(1.1), math.log(0.95), 9.0], [0.0] * 3])  # the 9 is padding
    kept = {name: -loss(logprobs, torch.zeros(2, 3), [1.0, 0.0], ratio=name).loss.item() * 2 for name in RATIOS}
    expected = {"token": (1.1 + 0.95) / 2, "sequence": 1.1 * 0.95, "geometric": math.sqrt(1.1 * 0.95)}
    assert kept == pytest.approx(expected, abs=1e-6)


def test_kl_estimators_by_hand():
    logprobs, reference = torch.full((2, 3), math.log(0.5)), torch.full((2, 3), math.log(0.25))
    d = math.log(0.25) - math.log(0.5)
    expected = {"k1": -d, "k2": d**2 / 2, "k3": 0.5 - d - 1}
    for name, value in expected.items():
        terms = loss(logprobs, logprobs, [0.0, 0.0], reference, kl_estimator=name, kl_coefficient=0.1)
        assert terms.sums["kl"] / 5 == pytest.approx(value)
        assert terms.loss.item() == pytest.approx(0.1 * value)


def test_left_out_sequences_stay_in_the_denominator():
    logprobs = torch.zeros(2, 3)
    whole = loss(logprobs, logprobs, [1.0, 1.0]).loss
    assert loss(logprobs, logprobs, [1.0, 1.0], batch=Batch(8, 20, 4)).loss == whole / 4


def test_gradient_raises_what_earned_more():
    logprobs = torch.full((2, 3), -1.0, requires_grad=True)
    loss(logprobs, logprobs.detach(), [1.0, -1.0]).loss.backward()
    # d loss / d logp = -advantage / (tokens of the row * sequences); padding carries none
    assert logprobs.grad[0].tolist() == pytest.approx([-1 / 4, -1 / 4, 0])
    assert logprobs.grad[1].tolist() == pytest.approx([1 / 6] * 3)


def test_a_clipped_token_carries_no_gradient():
    logprobs = torch.full((2, 3), math.log(1.5)).requires_grad_()
    loss(logprobs, torch.zeros(2, 3), [1.0, -1.0]).loss.backward()
    assert logprobs.grad[0].tolist() == [0, 0, 0]
    assert logprobs.grad[1].tolist() == pytest.approx([1.5 / 6] * 3)


@pytest.mark.parametrize(("estimator", "expected"), [("k1", 0.0), ("k2", 0.1), ("k3", 0.1)])
def test_gradient_of_the_kl_term_on_the_policy_s_own_samples(estimator, expected):
    """Over a two-word vocabulary, in expectation: k1 has none; k2's is that of KL(policy, reference)."""
    score = torch.tensor(0.3, requires_grad=True)
    policy, reference = torch.stack([score, -score]).log_softmax(0), torch.tensor([0.5, 0.5]).log()
    divergence = (policy.exp() * (policy - reference)).sum()
    (true,) = torch.autograd.grad(divergence, score, retain_graph=True)
    value = (policy.exp().detach() * ESTIMATORS[estimator](reference - policy)).sum()
    (ours,) = torch.autograd.grad(value, score, retain_graph=True)
    if estimator == "k3":  # the gradient of KL(reference, policy), which is near for near policies
        (true,) = torch.autograd.grad((reference.exp() * (reference - policy)).sum(), score)
    assert ours.item() == pytest.approx(0 if estimator == "k1" else true.item(), abs=1e-6)
    assert (abs(ours.item()) > expected) is (expected > 0)


@pytest.mark.parametrize("key", ["ratio", "normalisation", "kl_estimator", "advantage_scaling"])
def test_unknown_names_are_refused(key):
    with pytest.raises(UserError, match=rf"grpo\.{key}=nothing is unknown: choose "):
        Objective(**{key: "nothing"})


LOGPROB = st.floats(-3, 0)
ROWS = st.lists(st.lists(st.tuples(LOGPROB, LOGPROB, LOGPROB), min_size=1, max_size=5), min_size=1, max_size=4)


@settings(deadline=None)
@given(ROWS, st.data())
def test_equal_to_a_plain_computation(rows, data):
    gains = data.draw(st.lists(st.floats(-2, 2), min_size=len(rows), max_size=len(rows)))
    now, old, reference = ([[token[i] for token in row] for row in rows] for i in range(3))
    longest = max(map(len, rows))
    padded = [
        torch.tensor([row + [7.0] * (longest - len(row)) for row in part], dtype=torch.float64)
        for part in (now, old, reference)
    ]
    mask = torch.tensor([[t < len(row) for t in range(longest)] for row in rows])
    batch = Batch(2 * len(rows), 3 * sum(map(len, rows)), 9)
    for ratio, normalisation, estimator in product(RATIOS, NORMALISATIONS, ESTIMATORS):
        choices = Objective(ratio, normalisation, estimator, 0.3, 0.2, 0.28)
        terms = grpo_loss(*padded, torch.tensor(gains, dtype=torch.float64), mask, batch, choices)
        value, low, high = plain_loss(now, old, reference, gains, batch, choices)
        assert terms.loss.item() == pytest.approx(value, rel=1e-6, abs=1e-9)
        assert (terms.sums["clipped_low"], terms.sums["clipped_high"]) == (low, high)


def test_weights_scale_the_policy_term_token_by_token_and_leave_the_kl_term():
    now, old = torch.full((2, 3), -1.0), torch.tensor([[-1.1, -0.9, 0.0], [-1.2, -1.0, -0.8]])
    reference, weights = torch.full((2, 3), -1.5), torch.tensor([[2.0, 0.5, 9.0], [1.0, 0.0, 1.5]])
    choices = Objective(kl_coefficient=0.1)
    terms = grpo_loss(now, old, reference, torch.tensor([1.0, -1.0]), MASK, BATCH, choices, weights)
    by_hand = 0.0
    for row, gain, length in ((0, 1.0, 2), (1, -1.0, 3)):
        for t in range(length):
            ratio = math.exp(float(now[row, t] - old[row, t]))
            term = -min(ratio * gain, min(max(ratio, 0.8), 1.2) * gain) * float(weights[row, t])
            by_hand += (term + 0.1 * (math.exp(-0.5) - 1 + 0.5)) / length / 2
    assert terms.loss.item() == pytest.approx(by_hand, abs=1e-6)


def test_weights_of_one_change_nothing():
    now, old = torch.randn(2, 3, generator=torch.Generator().manual_seed(1)), torch.full((2, 3), -1.0)
    plain = loss(now, old, [0.5, -2.0]).loss
    assert grpo_loss(now, old, None, torch.tensor([0.5, -2.0]), MASK, BATCH, Objective(), torch.ones(2, 3)).loss.equal(
        plain
    )
