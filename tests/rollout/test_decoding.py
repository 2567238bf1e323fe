"""The sampler against Hugging Face's own generation, and against the probabilities that it claims to follow."""

import pytest
import torch

from models.families import FAMILIES, model_of
from openswerl.errors import UserError
from openswerl.rollout.decoding import choose, decode

PROMPTS = [[5, 9, 7], [11, 6, 30, 8, 12, 40, 9], [3], [21, 22, 23, 24, 25]]


def run(policy, prompts=PROMPTS, *, samples=2, temperature=0.0, max_new=12, seeds=None, eos=1):
    seeds = list(range(len(prompts))) if seeds is None else seeds
    return decode(
        policy, prompts, samples=samples, max_new=max_new, temperature=temperature, seeds=seeds,
        ended=lambda row: row[-1] == eos,
    )  # fmt: skip


def tokens(rows):
    return [row.tokens for row in rows]


def test_greedy_equals_hugging_face(tiny_policy):
    rows = run(tiny_policy)
    for i, prompt in enumerate(PROMPTS):
        expected = tiny_policy.generate(
            torch.tensor([prompt]), max_new_tokens=12, do_sample=False, pad_token_id=0, eos_token_id=1
        )[0, len(prompt) :].tolist()
        assert rows[2 * i].tokens == rows[2 * i + 1].tokens == expected
        assert rows[2 * i].finished == (expected[-1] == 1)


def test_finished_rows_end_there_and_leave_the_others_alone(tiny_policy):
    free = run(tiny_policy, samples=1, eos=-1)
    eos = free[0].tokens[3]
    stopped = run(tiny_policy, samples=1, eos=eos)
    for before, after in zip(free, stopped, strict=True):
        end = before.tokens.index(eos) + 1 if eos in before.tokens else len(before.tokens)
        assert after.tokens == before.tokens[:end] and after.finished == (eos in before.tokens)


def test_a_sample_depends_on_its_seed_and_number_alone(tiny_policy):
    whole = run(tiny_policy, samples=5, temperature=1.0, seeds=[7, 8, 7, 9], eos=4)
    few = run(tiny_policy, samples=2, temperature=1.0, seeds=[7, 8, 7, 9], eos=4)
    for i, prompt in enumerate(PROMPTS):
        alone = run(tiny_policy, [prompt], samples=5, temperature=1.0, seeds=[[7, 8, 7, 9][i]], eos=4)
        assert tokens(alone) == tokens(whole[5 * i : 5 * i + 5])
        assert tokens(few[2 * i : 2 * i + 2]) == tokens(alone)[:2]
    assert len({tuple(row.tokens) for row in whole}) == len(whole)
    assert tokens(run(tiny_policy, [PROMPTS[0]], temperature=1.0, seeds=[8])) != tokens(whole[:2])


@pytest.mark.parametrize("temperature", [0.0, 1.0, 0.5])
def test_logprobs_are_those_of_a_plain_pass_at_the_sampling_temperature(tiny_policy, temperature):
    rows = run(tiny_policy, samples=3, temperature=temperature, eos=4)
    for number, row in enumerate(rows):
        prompt = PROMPTS[number // 3]
        with torch.no_grad():
            logits = tiny_policy(torch.tensor([prompt + row.tokens])).logits[0, len(prompt) - 1 : -1]
        expected = torch.log_softmax(logits / (temperature or 1), -1).gather(-1, torch.tensor(row.tokens)[:, None])
        assert row.logprobs == pytest.approx(expected[:, 0].tolist(), abs=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_samples_follow_the_softmax(tiny_policy, temperature):
    samples = 4000
    rows = run(tiny_policy, [PROMPTS[0]], samples=samples, temperature=temperature, max_new=1)
    counts = torch.bincount(torch.tensor(tokens(rows))[:, 0], minlength=tiny_policy.config.vocab_size)
    logits = tiny_policy(torch.tensor([PROMPTS[0]])).logits[0, -1]
    expected = torch.softmax(logits / temperature, -1)
    spread = (expected * (1 - expected) / samples).sqrt()
    assert ((counts / samples - expected).abs() < 5 * spread + 1e-3).all()


def test_inversion_takes_the_token_in_whose_share_the_number_falls():
    logits = torch.tensor([[0.2, 0.5, 0.0, 0.3]]).log().expand(6, 4)
    drawn = torch.tensor([0.0, 0.19, 0.21, 0.69, 0.71, 1 - 2**-53], dtype=torch.float64)
    chosen, logprobs = choose(logits, 1.0, drawn)
    assert chosen.tolist() == [0, 0, 1, 1, 3, 3]
    assert logprobs.exp().tolist() == pytest.approx([0.2, 0.2, 0.5, 0.5, 0.3, 0.3])


@pytest.mark.parametrize("family", FAMILIES)
def test_logprobs_are_those_of_a_plain_pass_in_every_family(family):
    """Up to the last token that a window of 64 allows: 7 + 57."""
    policy = model_of(family).eval()
    for number, row in enumerate(run(policy, temperature=0.8, max_new=57, eos=-1)):
        prompt = PROMPTS[number // 2]
        with torch.no_grad():
            logits = policy(torch.tensor([prompt + row.tokens])).logits[0, len(prompt) - 1 : -1]
        expected = torch.log_softmax(logits / 0.8, -1).gather(-1, torch.tensor(row.tokens)[:, None])
        assert row.logprobs == pytest.approx(expected[:, 0].tolist(), abs=2e-5)


@pytest.mark.parametrize(
    ("family", "settings", "name"),
    [
        ("gemma2", {"head_dim": 8, "num_key_value_heads": 2}, "softcap"),
        ("gpt_oss", {"head_dim": 8, "num_key_value_heads": 2, "num_local_experts": 4}, "s_aux"),
    ],
)
def test_attention_with_more_to_it_is_refused(family, settings, name):
    with pytest.raises(UserError, match=f"attention with {name} is not supported; choose another model"):
        run(model_of(family, **settings).eval())
