"""How much an answer moves when it is asked again, by a backend whose answers are known."""

import pytest

from openswerl.models.prompts import prompt_of
from openswerl.preflight.repeat import repeat
from openswerl.preflight.sampling import Look, Sample, seeds_of
from openswerl.rollout import Answered, Completion, Sampler


class Says(Sampler):
    """Answers each prompt with a text of its own, and notes what it is asked."""

    tokenizer, max_prompt_tokens = None, 1000

    def __init__(self, texts):
        self.texts, self.asked = texts, []

    def stream(self, prompts, *, samples, temperature, seeds):
        self.asked.append((list(prompts), samples, temperature, list(seeds)))
        for k, prompt in enumerate(prompts):
            text = self.texts[prompt]
            yield Answered(k, 0, Completion(text or "", [], bool(text), fault=None if text else "rate_limit"))


def sample(instance, temperature, text, reason="stop", number=0):
    return Sample(instance.instance_id, number, temperature, 1.0, None, 1, 1, reason, text)


def test_what_comes_again(config, tasks):
    cfg, some = config("preflight.repeats=3", "grpo.temperature=0.5"), tasks[:4]
    prompts = [prompt_of(one, cfg) for one in some]
    sampler = Says(dict(zip(prompts, ["abcd", "abxd", None, "never asked"], strict=True)))
    greedy = [sample(one, 0.0, "abcd") for one in some]
    sampled = [sample(one, 0.5, "abcd", "rate_limit") for one in some[:3]] + [sample(some[0], 0.5, "", number=1)]
    first, second = repeat(some, Look(greedy, sampled, 1.0, 1, None), sampler, cfg)
    # three are asked, one does not come; abcd and abxd share 3 of 4 letters each: 2 * 3 / 8
    assert (first.asked, first.identical, first.least_alike) == (2, 1, pytest.approx(0.75))
    assert str(first) == "greedy: 1 of 2 answers came again to the letter, the least alike by 0.75"
    assert str(second) == "sampled: not measured, as an answer did not come"
    assert sampler.asked[0] == (prompts[:3], 1, 0.0, seeds_of(some[:3], cfg.seed))
