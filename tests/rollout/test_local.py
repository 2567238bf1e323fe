"""The in-process backend with the laptop's checkpoint."""

import random

import pytest
import torch
from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.laptop.tasks import make_repair
from openswerl.models.checkpoint import PACKAGED
from openswerl.models.prompts import repair_prompt
from openswerl.rollout import open_sampler
from openswerl.rollout.local import LocalSampler

SERVING = OmegaConf.create({"record": False})
PROMPTS = [repair_prompt(make_repair(random.Random(number)).task, "compact") for number in range(3)]


@pytest.fixture(scope="module")
def sampler() -> LocalSampler:
    torch.set_num_threads(1)
    return open_sampler(*settings(), SERVING, PACKAGED)


def settings(**rollout):
    model = {
        "path": None, "revision": None, "dtype": "float32", "lora": None,
        "max_prompt_tokens": 200, "max_response_tokens": 120,
    }  # fmt: skip
    return OmegaConf.create(model), OmegaConf.create({"backend": "local", "batch_rows": 6, "stop": None} | rollout)


def other(sampler, **rollout):
    return LocalSampler(sampler.policy, sampler.tokenizer, *settings(**rollout))


def twelve(sampler):
    drawn = sampler.generate(PROMPTS, samples=4, temperature=1.0, seeds=[1, 2, 3])
    return [one for group in drawn for one in group]


def test_order_and_batches_do_not_matter(sampler):
    seeds = [5, 6, 7]
    drawn = sampler.generate(PROMPTS, samples=3, temperature=1.0, seeds=seeds)
    assert [len(group) for group in drawn] == [3, 3, 3]
    backwards = other(sampler, batch_rows=64).generate(PROMPTS[::-1], samples=3, temperature=1.0, seeds=seeds[::-1])
    assert [[one.token_ids for one in group] for group in backwards[::-1]] == [
        [one.token_ids for one in group] for group in drawn
    ]


def test_a_finished_sample_ends_with_eos_and_has_a_logprob_for_each_token(sampler):
    for one in twelve(sampler):
        assert one.finished == (one.token_ids[-1] == sampler.tokenizer.eos_token_id)
        assert len(one.logprobs) == len(one.token_ids) and max(one.logprobs) <= 0
        assert "<eos>" not in one.text


@pytest.mark.parametrize("tag", ["</solution>", "</think>\n", "EPLA"])
def test_a_closing_tag_ends_a_sample_where_it_first_stands(sampler, tag):
    """One token of its own, several tokens, and a part of a token."""
    plain, stopped = twelve(sampler), twelve(other(sampler, stop=tag))
    assert any(tag in one.text for one in plain)
    for before, after in zip(plain, stopped, strict=True):
        assert before.token_ids[: len(after.token_ids)] == after.token_ids
        assert after.finished == (tag in before.text or before.finished)
        if tag in before.text:
            assert tag in after.text and tag not in sampler.tokenizer.decode(after.token_ids[:-1])


def test_a_prompt_that_is_too_long_is_refused(sampler):
    with pytest.raises(UserError, match=r"more than model\.max_prompt_tokens=200"):
        sampler.generate([PROMPTS[0] * 10], samples=1, temperature=0.0, seeds=[0])


def test_a_policy_in_training_stays_in_training(sampler):
    sampler.policy.train()
    sampler.generate(PROMPTS[:1], samples=1, temperature=0.0, seeds=[0])
    assert sampler.policy.training
    sampler.policy.eval()


def test_an_unknown_backend_is_one_line():
    with pytest.raises(UserError, match=r"rollout\.backend=magic is unknown: choose local, vllm, openai or replay"):
        open_sampler(*settings(backend="magic"), SERVING, PACKAGED)
