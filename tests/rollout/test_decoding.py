"""The sampler against Hugging Face's own generation, and against the probabilities that it claims to follow."""

import pytest
import torch

from openswerl.rollout.decoding import decode

PROMPTS = [[5, 9, 7], [11, 6, 30, 8, 12, 40, 9], [3], [21, 22, 23, 24, 25]]


def run(policy, prompts=PROMPTS, *, samples=2, temperature=0.0, max_new=12, seed=0, eos=1):
    generator = torch.Generator().manual_seed(seed)
    return decode(
        policy, prompts, samples=samples, max_new=max_new, temperature=temperature, eos=eos, generator=generator
    )


def test_greedy_equals_hugging_face(tiny_policy):
    rows = run(tiny_policy)
    for i, prompt in enumerate(PROMPTS):
        expected = tiny_policy.generate(
            torch.tensor([prompt]), max_new_tokens=12, do_sample=False, pad_token_id=0, eos_token_id=1
        )[0, len(prompt) :].tolist()
        assert rows[2 * i] == rows[2 * i + 1] == expected


def test_finished_rows_end_with_eos_and_leave_the_others_alone(tiny_policy):
    free = run(tiny_policy, samples=1, eos=-1)
    eos = free[0][3]
    stopped = run(tiny_policy, samples=1, eos=eos)
    for before, after in zip(free, stopped, strict=True):
        end = before.index(eos) + 1 if eos in before else len(before)
        assert after == before[:end]


def test_same_seed_same_samples(tiny_policy):
    first = run(tiny_policy, temperature=1.0, samples=4, seed=3)
    assert first == run(tiny_policy, temperature=1.0, samples=4, seed=3)
    assert first != run(tiny_policy, temperature=1.0, samples=4, seed=4)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_samples_follow_the_softmax(tiny_policy, temperature):
    samples = 4000
    rows = run(tiny_policy, [PROMPTS[0]], samples=samples, temperature=temperature, max_new=1)
    counts = torch.bincount(torch.tensor([row[0] for row in rows]), minlength=tiny_policy.config.vocab_size)
    logits = tiny_policy(torch.tensor([PROMPTS[0]])).logits[0, -1]
    expected = torch.softmax(logits / temperature, -1)
    spread = (expected * (1 - expected) / samples).sqrt()
    assert ((counts / samples - expected).abs() < 5 * spread + 1e-3).all()
