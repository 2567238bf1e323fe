"""Attention by parts and FlexAttention's blocks against softmax under a mask that is written out."""

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from models.families import TREES, model_of, random_trees
from openswerl.errors import UserError
from openswerl.models.attention import NAME, attend, block_mask, use_packed_attention
from openswerl.models.by_parts import ByParts
from openswerl.models.packing import Tree, pack

CPU = torch.device("cpu")
LAYOUT = pack([*TREES, Tree([1] * 9, [])], CPU).layout


def written_out(layout):
    """True where a token may look: at its own prompt and branch, up to itself."""
    sees = torch.zeros(layout[-1].end, layout[-1].end, dtype=torch.bool)
    for span in layout:
        prompt = [*range(span.start, span.start + span.prompt)]
        for path in [prompt, *([*prompt, *range(*bounds)] for bounds in span.bounds)]:
            for place, token in enumerate(path):
                sees[token, path[: place + 1]] = True
    return sees


def softmax_attention(query, key, value, layout, scaling):
    repeats = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(repeats, 1), value.repeat_interleave(repeats, 1)
    scores = query @ key.transpose(-1, -2) * scaling
    return scores.masked_fill(~written_out(layout), float("-inf")).softmax(-1) @ value


def states(length, heads=4, key_heads=2, size=8, dtype=torch.float64):
    torch.manual_seed(1)
    return [torch.randn(1, count, length, size, dtype=dtype) for count in (heads, key_heads, key_heads)]


@pytest.mark.parametrize("key_heads", [1, 2, 4])
def test_by_parts_equals_the_mask_values_and_gradients(key_heads):
    inputs = [x.requires_grad_() for x in states(LAYOUT[-1].end, key_heads=key_heads)]
    weights = torch.randn(1, 4, LAYOUT[-1].end, 8, dtype=torch.float64)
    out = ByParts.apply(*inputs, LAYOUT, 0.3)
    expected = softmax_attention(*inputs, LAYOUT, 0.3)
    torch.testing.assert_close(out, expected, rtol=1e-12, atol=1e-12)
    ours = torch.autograd.grad((out * weights).sum(), inputs)
    theirs = torch.autograd.grad((expected * weights).sum(), inputs)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


def test_gradients_by_differences():
    layout = pack([Tree([1] * 3, [[1] * 3, [1]]), Tree([1], [[1] * 2])], CPU).layout
    inputs = [x.requires_grad_() for x in states(layout[-1].end, size=4)]
    assert torch.autograd.gradcheck(lambda *x: ByParts.apply(*x, layout, 0.5), inputs)


def test_large_scores_stay_exact():
    """The two parts of a branch may differ by hundreds in their log-sum-exps."""
    query, key, value = states(LAYOUT[-1].end)
    out = ByParts.apply(query * 200, key, value, LAYOUT, 1.0)
    torch.testing.assert_close(out, softmax_attention(query * 200, key, value, LAYOUT, 1.0), rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_blocks_of_flex_attention_equal_the_mask():
    """Blocks of 128 by 128 tokens: whole, empty or cut. On a CPU without compiling, and the forward pass alone."""
    layout = pack(random_trees(0, 150, 90, 4), CPU).layout
    query, key, value = states(layout[-1].end, dtype=torch.float32)
    blocks = block_mask(layout, CPU, compiled=False)
    assert torch.equal(blocks.to_dense()[0, 0].bool(), blockwise(written_out(layout), 128))
    out = flex_attention(query, key, value, block_mask=blocks, enable_gqa=True, scale=0.3)
    torch.testing.assert_close(out, softmax_attention(query, key, value, layout, 0.3), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(out, ByParts.apply(query, key, value, layout, 0.3), rtol=1e-5, atol=1e-5)


def blockwise(sees, size):
    """Which blocks hold anything."""
    padded = torch.nn.functional.pad(sees, (0, -sees.shape[1] % size, 0, -sees.shape[0] % size))
    return padded.unflatten(0, (-1, size)).unflatten(2, (-1, size)).any(3).any(1)


@pytest.mark.slow
def test_compiled_flex_attention_is_what_a_gpu_runs():
    layout = pack(random_trees(0, 150, 90, 4), CPU).layout
    query, key, value = states(layout[-1].end, dtype=torch.float32)
    module = torch.nn.Module().eval()
    out, _ = attend(module, query, key, value, block_mask(layout, CPU, compiled=False), layout, 0.3)
    expected = softmax_attention(query, key, value, layout, 0.3)
    torch.testing.assert_close(out.transpose(1, 2), expected, rtol=1e-5, atol=1e-5)


def test_without_a_layout_the_model_is_what_it_was():
    model = model_of("llama").eval()
    tokens, mask = torch.tensor([[5, 9, 7, 3], [5, 9, 0, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    before = model(tokens, attention_mask=mask).logits
    use_packed_attention(model)
    assert model.config._attn_implementation == NAME
    assert torch.equal(model(tokens, attention_mask=mask).logits[mask.bool()], before[mask.bool()])
    assert "openswerl" not in str(model.config.to_dict())


def test_layers_that_are_not_attention_are_refused():
    model = model_of("llama")
    model.config.layer_types = ["full_attention", "linear_attention"]
    with pytest.raises(
        UserError, match=r"can be neither sampled nor trained here \(linear_attention\); choose another model"
    ):
        use_packed_attention(model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"softcap": 30.0}, "attention with softcap is not supported; choose another model"),
        ({"s_aux": torch.ones(4)}, "attention with s_aux is not supported"),
        ({"dropout": 0.1}, "attention with dropout is not supported"),
        ({"sliding_window": 5}, "a sliding_window of 5, shorter than .*; set model.forward=padded"),
    ],
)
def test_attention_with_more_to_it_is_refused(options, message):
    with pytest.raises(UserError, match=message):
        attend(torch.nn.Module(), *states(LAYOUT[-1].end), None, LAYOUT, 1.0, **options)


def test_a_window_wider_than_every_path_changes_nothing():
    out, _ = attend(torch.nn.Module(), *states(LAYOUT[-1].end), None, LAYOUT, 0.3, sliding_window=12)
    expected = softmax_attention(*states(LAYOUT[-1].end), LAYOUT, 0.3)
    torch.testing.assert_close(out.transpose(1, 2), expected, rtol=1e-12, atol=1e-12)
