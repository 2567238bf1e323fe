"""A sampler that answers by rote, beside the fixtures of training."""

import pytest

from openswerl.rollout import Completion
from training_fixtures import config, good, instance, tasks  # noqa: F401


class Rote:
    """Gives every prompt the same answers."""

    def __init__(self, *completions):
        self.completions, self.seeds = completions, []

    def generate(self, prompts, *, samples, temperature, seeds):
        self.seeds += seeds
        return [[self.completions[i % len(self.completions)] for i in range(samples)] for _ in prompts]


@pytest.fixture
def rote(good):  # noqa: F811
    """A right answer, the same without an end, one that is no answer, and a wrong one."""
    return Rote(
        Completion(good, [5, 6, 1], True, None),
        Completion(good, [5, 6, 7, 8], False, None),
        Completion("what?", [9], True, None),
        Completion(good.replace("a + 1", "a * 1"), [5, 1], True, None),
    )
