"""Advantages and loss against values worked out by hand."""

import math

import pytest
import torch

from openswerl.grpo.loss import group_advantages, grpo_loss

MASK = torch.tensor([[True, True, False], [True, True, True]])


def loss(logprobs, old, advantages, reference=None, clip=0.2, kl=0.0, sequences=2):
    return grpo_loss(logprobs, old, reference, advantages, MASK, clip=clip, kl_coefficient=kl, sequences=sequences)


def test_advantages_are_standard_scores():
    advantages, live = group_advantages(torch.tensor([[1.0, 0.0, -1.0, 0.0], [0.3, 0.3, 0.3, 0.3]]))
    deviation = math.sqrt(2 / 3)  # sample standard deviation of 1, 0, -1, 0
    expected = [1 / deviation, 0, -1 / deviation, 0]
    assert advantages[0].tolist() == pytest.approx(expected, rel=1e-3)
    assert advantages[1].tolist() == [0, 0, 0, 0]
    assert live.tolist() == [True, False]


def test_on_policy_loss_is_minus_the_mean_advantage():
    logprobs = torch.full((2, 3), -1.0)
    terms = loss(logprobs, logprobs, torch.tensor([0.5, -2.0]))
    assert terms.loss.item() == pytest.approx(-(0.5 - 2.0) / 2)
    assert terms.clipped == 0


def test_clip_limits_the_gain_but_not_the_loss():
    old = torch.zeros(2, 3)
    logprobs = torch.full((2, 3), math.log(1.5))
    # advantage 1: min(1.5, 1.2) = 1.2; advantage -1: min(-1.5, -1.2) = -1.5
    terms = loss(logprobs, old, torch.tensor([1.0, -1.0]))
    assert terms.loss.item() == pytest.approx(-(1.2 - 1.5) / 2, abs=1e-6)
    assert terms.clipped == 1


def test_sequences_weigh_alike_whatever_their_length():
    old = torch.zeros(2, 3)
    logprobs = torch.tensor([[math.log(1.1)] * 3, [0.0] * 3])
    terms = loss(logprobs, old, torch.tensor([1.0, 1.0]))
    assert terms.loss.item() == pytest.approx(-(1.1 + 1.0) / 2)


def test_left_out_sequences_stay_in_the_denominator():
    logprobs = torch.zeros(2, 3)
    whole = loss(logprobs, logprobs, torch.tensor([1.0, 1.0]), sequences=2).loss
    assert loss(logprobs, logprobs, torch.tensor([1.0, 1.0]), sequences=8).loss == whole / 4


def test_kl_term():
    logprobs = torch.full((2, 3), math.log(0.5))
    reference = torch.full((2, 3), math.log(0.25))
    per_token = 0.5 - math.log(0.5) - 1  # exp(d) - d - 1 with d = log 0.25 - log 0.5
    terms = loss(logprobs, logprobs, torch.zeros(2), reference, kl=0.1)
    assert terms.kl == pytest.approx(per_token)
    assert terms.loss.item() == pytest.approx(0.1 * per_token)


def test_gradient_raises_what_earned_more():
    logprobs = torch.full((2, 3), -1.0, requires_grad=True)
    loss(logprobs, logprobs.detach(), torch.tensor([1.0, -1.0])).loss.backward()
    # d loss / d logp = -advantage / (tokens of the row * sequences); padding carries none
    assert logprobs.grad[0].tolist() == pytest.approx([-1 / 4, -1 / 4, 0])
    assert logprobs.grad[1].tolist() == pytest.approx([1 / 6] * 3)
