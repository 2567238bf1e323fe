"""Every epoch holds every item once, and any step can be asked for alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from openswerl.models.batches import batch_at, step_seed


@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 5))
def test_epochs_cover_every_item_once(items, size, seed):
    steps = items * 3
    drawn = [item for step in range(steps) for item in batch_at(range(items), step, size, seed)]
    for start in range(0, len(drawn) - items + 1, items):
        assert Counter(drawn[start : start + items]) == Counter(range(items))


def test_steps_do_not_depend_on_what_came_before():
    assert batch_at(range(10), 7, 4, 1) == [batch_at(range(10), step, 4, 1) for step in range(8)][7]
    assert batch_at(range(100), 0, 50, 1) != batch_at(range(100), 0, 50, 2)


def test_step_seeds_differ():
    assert len({step_seed(seed, step) for seed in range(10) for step in range(100)}) == 1000
