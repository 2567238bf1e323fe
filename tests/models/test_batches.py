"""Every epoch holds every item once, and any step can be asked for alone."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from openswerl.models.batches import batch_at


@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 5))
def test_epochs_cover_every_item_once(items, size, seed):
    steps = items * 3
    drawn = [item for step in range(steps) for item in batch_at(range(items), step, size, seed)]
    for start in range(0, len(drawn) - items + 1, items):
        assert Counter(drawn[start : start + items]) == Counter(range(items))


def test_steps_do_not_depend_on_what_came_before():
    assert batch_at(range(10), 7, 4, 1) == [batch_at(range(10), step, 4, 1) for step in range(8)][7]
    assert batch_at(range(100), 0, 50, 1) != batch_at(range(100), 0, 50, 2)


def test_the_order_is_pinned():
    """As released runs have drawn it: each epoch is Python's own shuffle under a seed that names run and epoch."""
    expected = []
    for epoch in range(2):
        order = list("abcde")
        random.Random(f"3 epoch {epoch}").shuffle(order)
        expected += order
    assert batch_at("abcde", 1, 4, 3) == expected[4:8]


def test_an_epoch_is_shuffled_once(monkeypatch):
    """A batch of a thousand out of a thousand items: once for each item would be a million moves."""
    shuffled = []
    shuffle = random.Random.shuffle
    monkeypatch.setattr(random.Random, "shuffle", lambda self, x: (shuffled.append(len(x)), shuffle(self, x)))
    for step in range(3):
        batch_at(range(1000), step, 500, seed=98765)
    assert shuffled == [1000, 1000]
