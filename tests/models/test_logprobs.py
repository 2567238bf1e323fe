"""Shared-prefix log-probabilities against one plain forward pass per row, values and gradients."""

import torch

from openswerl.models.logprobs import completion_logprobs

PROMPTS = [[5, 9, 7], [11, 6, 30, 8, 12, 40, 9]]
COMPLETIONS = [[4, 8, 1], [6, 1], [9, 9, 12, 33, 1], [2, 7]]


def plain(policy, temperature):
    """Each row alone, through the model's public forward."""
    values = []
    for i, completion in enumerate(COMPLETIONS):
        prompt = PROMPTS[i // 2]
        logits = policy(torch.tensor([prompt + completion])).logits[0] / temperature
        steps = torch.log_softmax(logits, -1)[len(prompt) - 1 : -1]
        values.append(steps.gather(-1, torch.tensor(completion)[:, None])[:, 0])
    return values


def test_equal_to_plain_rows(tiny_policy):
    for temperature in (1.0, 0.7):
        logprobs, mask = completion_logprobs(tiny_policy, PROMPTS, COMPLETIONS, temperature)
        assert mask.sum(1).tolist() == [3, 2, 5, 2]
        for row, kept, expected in zip(logprobs, mask, plain(tiny_policy, temperature), strict=True):
            torch.testing.assert_close(row[kept], expected, rtol=1e-4, atol=1e-5)
            assert (row[~kept] == 0).all()


def test_equal_gradients(tiny_policy):
    weights = torch.linspace(-1, 1, len(COMPLETIONS))
    logprobs, _ = completion_logprobs(tiny_policy, PROMPTS, COMPLETIONS)
    (logprobs.sum(1) * weights).sum().backward()
    shared = {name: p.grad.clone() for name, p in tiny_policy.named_parameters()}
    tiny_policy.zero_grad()
    sum(row.sum() * weight for row, weight in zip(plain(tiny_policy, 1.0), weights, strict=True)).backward()
    for name, parameter in tiny_policy.named_parameters():
        torch.testing.assert_close(shared[name], parameter.grad, rtol=1e-3, atol=5e-5)
