"""A packed row against what padded rows say of each token."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from openswerl.models.packing import Tree, lengths_mask, pack, pad

CPU = torch.device("cpu")
tokens = st.lists(st.integers(0, 50), min_size=1, max_size=6)
trees = st.lists(st.builds(Tree, tokens, st.lists(tokens, max_size=4)), min_size=1, max_size=4)
with_branches = trees.filter(lambda found: any(tree.branches for tree in found))


@given(with_branches)
def test_every_path_is_in_the_row_with_its_positions(found):
    packed = pack(found, CPU)
    assert packed.tokens.shape == packed.positions.shape == (1, sum(map(len, found)))
    for tree, span in zip(found, packed.layout, strict=True):
        prompt = [*range(span.start, span.start + span.prompt)]
        assert len(span.bounds) == len(tree.branches)
        for branch, (first, end) in zip(tree.branches, span.bounds, strict=True):
            path = [*prompt, *range(first, end)]
            assert packed.tokens[0, path].tolist() == tree.prompt + branch
            assert packed.positions[0, path].tolist() == [*range(len(path))]


@given(with_branches)
def test_sources_are_the_tokens_before(found):
    """In a row prompt + branch, the token at place i is predicted at place i - 1."""
    packed = pack(found, CPU)
    expected = []
    for tree, span in zip(found, packed.layout, strict=True):
        for first, end in span.bounds:
            path = [*range(span.start, span.start + span.prompt), *range(first, end)]
            expected += path[len(tree.prompt) - 1 : -1]
    assert packed.sources.tolist() == expected
    branches = [branch for tree in found for branch in tree.branches]
    assert packed.targets.tolist() == [token for branch in branches for token in branch]
    assert packed.mask.sum(1).tolist() == [*map(len, branches)]


@pytest.mark.parametrize("tree", [Tree([], [[1]]), Tree([1], [[2], []])])
def test_nothing_may_be_empty(tree):
    with pytest.raises(ValueError, match="empty"):
        pack([Tree([1], [[2]]), tree], CPU)


def test_padding_is_on_the_right():
    rows, mask = pad([[3, 4], [5, 6, 7], [8]], CPU)
    assert rows.tolist() == [[3, 4, 0], [5, 6, 7], [8, 0, 0]]
    assert torch.equal(mask, lengths_mask([2, 3, 1], CPU))
    assert mask.tolist() == [[True, True, False], [True, True, True], [True, False, False]]
