"""Samples of other weights: refused, or weighed by how much likelier they are under the policy."""

import math

import pytest
import torch

from openswerl.errors import UserError
from openswerl.grpo.staleness import check_versions, importance, sampled_logprobs
from openswerl.rollout import Completion


def completion(version=None, logprobs=None):
    return Completion("", [5, 6][: len(logprobs or [1, 1])], True, logprobs, version=version)


def test_the_present_version_passes_and_so_does_what_was_not_answered():
    check_versions([completion(3), Completion("", [], False, fault="rate_limit")], 3, "refuse")


def test_another_version_is_refused_in_one_line():
    with pytest.raises(UserError) as raised:
        check_versions([completion(3), completion(2)], 3, "refuse")
    assert str(raised.value) == (
        "a sample is of version 2 of the policy, which is at 3: the weights did not reach the sampler; "
        "rollout.stale=correct trains on such samples by importance weights"
    )
    with pytest.raises(UserError, match=r"^a sample is of no known version of the policy, which is at 3: "):
        check_versions([completion(None)], 3, "refuse")
    check_versions([completion(2)], 3, "correct")


def test_weights_are_ratios_up_to_the_cap():
    old = torch.log(torch.tensor([[0.5, 0.2], [0.9, 0.1]]))
    sampled = sampled_logprobs([completion(0, [math.log(0.25), math.log(0.4)]), completion(0, [math.log(0.1)])], old)
    weights = importance(old, sampled, 2.5)
    # 0.5 / 0.25 and 0.2 / 0.4; 0.9 / 0.1 is capped; the second row has one token alone
    torch.testing.assert_close(weights[0], torch.tensor([2.0, 0.5]))
    assert weights[1, 0] == 2.5


def test_without_the_samplers_probabilities_nothing_can_be_corrected():
    assert sampled_logprobs([completion(0, [-1.0]), completion(0)], torch.zeros(2, 2)) is None
    with pytest.raises(UserError, match=r"^rollout\.stale=correct needs log-probabilities, which the sampler does not"):
        importance(torch.zeros(1, 1), None, 2.0)
