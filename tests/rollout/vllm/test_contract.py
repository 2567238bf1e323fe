"""What is compared to tell whether the weights served are the weights trained."""

import math

import pytest
import torch

from models.words import tokenizer
from openswerl.errors import UserError
from openswerl.rollout.vllm.contract import check_served, policy_scores, probes_of

PROBES = [[5, 9, 7, 3], [8, 2], [4, 4, 30, 31, 32]]


def forward_scores(policy, probes):
    """By the public forward of transformers, one text at a time."""
    found = []
    for ids in probes:
        with torch.no_grad():
            table = policy(torch.tensor([ids])).logits[0].log_softmax(-1)
        found.append([table[i, token].item() for i, token in enumerate(ids[1:])])
    return found


@pytest.mark.parametrize("forward", ["packed", "padded"])
def test_the_policys_scores(tiny_policy, forward):
    ours, public = policy_scores(tiny_policy, PROBES, forward), forward_scores(tiny_policy, PROBES)
    assert [len(row) for row in ours] == [3, 1, 4]
    for one, other in zip(ours, public, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def served(policy, shift):
    return lambda probes: [[value + shift for value in row] for row in forward_scores(policy, probes)]


def test_the_gap_is_the_mean_distance(tiny_policy):
    assert check_served(tiny_policy, PROBES, served(tiny_policy, 0.0), "packed", 1e-4) < 1e-5
    assert check_served(tiny_policy, PROBES, served(tiny_policy, -0.02), "packed", 0.05) == pytest.approx(
        0.02, abs=1e-5
    )


@pytest.mark.parametrize("shift", [0.06, -0.06, math.nan, -math.inf])
def test_other_weights_are_refused(tiny_policy, shift):
    with pytest.raises(UserError, match=r"^the weights that vLLM serves are not those that were published: .* by "):
        check_served(tiny_policy, PROBES, served(tiny_policy, shift), "packed", 0.05)


def test_one_parameter_that_was_not_sent_shows(tiny_policy):
    """As a tied head on a CPU, of which vLLM 0.32 keeps a copy."""
    old = tiny_policy.lm_head.weight.detach().clone()
    with torch.no_grad():
        tiny_policy.lm_head.weight += 0.1 * torch.randn_like(old)

    def stale(probes):
        with torch.no_grad():
            new = tiny_policy.lm_head.weight.clone()
            tiny_policy.lm_head.weight.copy_(old)
            found = forward_scores(tiny_policy, probes)
            tiny_policy.lm_head.weight.copy_(new)
        return found

    with pytest.raises(UserError, match=r"max_gap=0\.05"):
        check_served(tiny_policy, PROBES, stale, "packed", 0.05)


def test_probes_fit():
    assert all(1 < len(ids) <= 5 for ids in probes_of(tokenizer(), 5))
    assert probes_of(tokenizer(), 1) == []
