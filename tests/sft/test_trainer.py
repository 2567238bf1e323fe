"""The loss covers answer tokens alone."""

import pytest
import torch

from openswerl.sft.trainer import answer_loss

ROWS = [([5, 9, 7], [4, 8, 1]), ([11, 6, 30, 8], [6, 1])]


def test_loss_is_the_mean_over_answer_tokens(tiny_policy):
    losses = []
    for prompt, answer in ROWS:
        logprobs = torch.log_softmax(tiny_policy(torch.tensor([prompt + answer])).logits[0], -1)
        losses += [-logprobs[len(prompt) - 1 + i, token].item() for i, token in enumerate(answer)]
    assert answer_loss(tiny_policy, ROWS).item() == pytest.approx(sum(losses) / 5, rel=1e-5)


def test_answer_alone_is_learnt(tiny_policy):
    optimiser = torch.optim.AdamW(tiny_policy.parameters(), lr=1e-2)
    for _ in range(60):
        loss = answer_loss(tiny_policy, ROWS)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    assert loss.item() < 0.1
    prompt_loss = answer_loss(tiny_policy, [([5], [9, 7])])
    assert prompt_loss.item() > 1
