"""Packed rows against one plain forward pass per path; entropies against torch.distributions."""

import pytest
import torch

from models.families import FAMILIES, TREES, model_of, random_trees
from openswerl.errors import UserError
from openswerl.models.engine import checkpoint_activations
from openswerl.models.logprobs import CHUNK, branch_logprobs
from openswerl.models.packing import Tree

PATHS = [(tree.prompt, branch) for tree in TREES for branch in tree.branches]


def plain(policy, temperature, trees=TREES):
    """Each path alone, through the model's public forward: log-probabilities and entropies of the branch's tokens."""
    values, entropies = [], []
    for prompt, branch in [(tree.prompt, branch) for tree in trees for branch in tree.branches]:
        logits = policy(torch.tensor([prompt + branch])).logits[0, len(prompt) - 1 : -1] / temperature
        softmax = torch.distributions.Categorical(logits=logits)
        values.append(softmax.log_prob(torch.tensor(branch)))
        entropies.append(softmax.entropy())
    return values, entropies


def gradients(policy, rows):
    policy.zero_grad()
    weights = torch.linspace(-1, 1, len(rows))
    sum(row.sum() * weight for row, weight in zip(rows, weights, strict=True)).backward()
    return {name: p.grad.clone() for name, p in policy.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("forward", ["packed", "padded"])
@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_equal_to_plain_passes(family, checkpointing, forward):
    policy = model_of(family)
    (values, entropies), expected = plain(policy, 0.7), gradients(policy, plain(policy, 0.7)[0])
    if checkpointing:
        checkpoint_activations(policy)
    done = branch_logprobs(policy, TREES, temperature=0.7, forward=forward)
    assert done.mask.sum(1).tolist() == [len(branch) for _, branch in PATHS]
    for i, row in enumerate(done.mask):
        torch.testing.assert_close(done.logprobs[i][row], values[i], rtol=0, atol=1e-5)
        torch.testing.assert_close(done.entropy[i][row], entropies[i].detach(), rtol=0, atol=1e-5)
        assert not done.logprobs[i][~row].any() and not done.entropy[i][~row].any()
    assert not done.entropy.requires_grad
    ours = gradients(policy, done.logprobs)
    assert ours.keys() == expected.keys()
    for name, theirs in expected.items():
        scale = max(theirs.norm().item(), 1e-3)
        assert ((ours[name] - theirs).norm() / scale).item() <= 1e-5, name


def test_more_tokens_than_a_chunk():
    policy = model_of("llama")
    trees = random_trees(3, 20, 120, 8)
    assert sum(len(branch) for tree in trees for branch in tree.branches) > CHUNK
    done = branch_logprobs(policy, trees)
    values, entropies = plain(policy, 1.0, trees)
    torch.testing.assert_close(done.logprobs[done.mask], torch.cat(values), rtol=0, atol=1e-5)
    torch.testing.assert_close(done.entropy[done.mask], torch.cat(entropies).detach(), rtol=0, atol=1e-5)


def test_logits_are_kept_nowhere():
    """With a large vocabulary nothing that waits for the backward pass is as large as one chunk of logits."""
    policy = model_of("llama", vocab_size=4000)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: (kept.append(x.numel()), x)[1], lambda x: x):
        done = branch_logprobs(policy, random_trees(3, 20, 120, 8))
    assert max(kept) < CHUNK * 4000 / 8
    done.logprobs.sum().backward()


def test_documents_in_one_row_do_not_see_each_other():
    policy = model_of("llama")
    first, second = Tree([5, 9, 7], [[4, 8, 1]]), Tree([5, 9, 7], [[4, 8, 1]])
    done = branch_logprobs(policy, [first, Tree([11, 6], [[3, 3, 3]]), second])
    torch.testing.assert_close(done.logprobs[0], done.logprobs[2], rtol=0, atol=1e-6)


def test_bfloat16_is_near_float32():
    """A sanity bound: bfloat16 has 8 bits, so log-probabilities of size 4 carry errors of some hundredths."""
    exact = branch_logprobs(model_of("llama"), TREES)
    half = branch_logprobs(model_of("llama").to(torch.bfloat16), TREES)
    assert half.logprobs.dtype == torch.float32
    assert 0 < (half.logprobs - exact.logprobs).abs().max() < 0.1


def test_an_unknown_forward_is_one_line():
    with pytest.raises(UserError, match=r"model\.forward=flat is unknown: choose packed or padded"):
        branch_logprobs(model_of("llama"), TREES, forward="flat")
