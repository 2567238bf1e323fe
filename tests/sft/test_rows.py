"""Documents lie whole in rows, in an order that a resumed run repeats."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.models.packing import Tree
from openswerl.sft.rows import answer_tokens, fill_rows, pack_rows

ROOM = 40
lengths = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=12)


def trees(sizes, name=0):
    return [Tree([name + i] * prompt, [[name + i] * answer]) for i, (prompt, answer) in enumerate(sizes)]


@given(lengths, st.integers(1, 30), st.integers(0, 3))
def test_rows_hold_whole_documents_and_no_row_could_take_the_next_one(sizes, rows, seed):
    filled = fill_rows(trees(sizes), [], rows=rows, row_tokens=ROOM, share=0.0, seed=seed)
    assert len(filled) == rows and all(row and sum(map(len, row)) <= ROOM for row in filled)
    for row, after in itertools.pairwise(filled):
        assert sum(map(len, row)) + len(after[0]) > ROOM
    longer = fill_rows(trees(sizes), [], rows=rows + 5, row_tokens=ROOM, share=0.0, seed=seed)
    assert longer[:rows] == filled


@given(lengths, st.integers(1, 30))
def test_every_document_comes_once_an_epoch(sizes, rows):
    documents = trees(sizes)
    filled = fill_rows(documents, [], rows=rows, row_tokens=ROOM, share=0.0, seed=1)
    order = list(itertools.chain.from_iterable(filled))
    for start in range(0, len(order) - len(documents) + 1, len(documents)):
        epoch = order[start : start + len(documents)]
        assert Counter(document.prompt[0] for document in epoch) == Counter(range(len(documents)))


def test_general_documents_have_their_share():
    own, general = trees([(1, 1)] * 50), trees([(1, 1)] * 7, name=1000)
    filled = fill_rows(own, general, rows=200, row_tokens=ROOM, share=0.25, seed=3)
    names = [document.prompt[0] for row in filled for document in row]
    assert sum(name >= 1000 for name in names) / len(names) == pytest.approx(0.25, abs=0.03)
    assert {name for name in names if name >= 1000} == set(range(1000, 1007))
    none = fill_rows(own, general, rows=20, row_tokens=ROOM, share=0.0, seed=3)
    assert all(document.prompt[0] < 1000 for row in none for document in row)


@given(lengths)
def test_held_out_documents_are_packed_once_in_order(sizes):
    documents = trees(sizes)
    rows = pack_rows(documents, ROOM)
    assert [document for row in rows for document in row] == documents
    assert all(sum(map(len, row)) <= ROOM for row in rows)
    assert answer_tokens(rows) == sum(answer for _, answer in sizes)


def test_no_document_no_row():
    assert pack_rows([], ROOM) == []
