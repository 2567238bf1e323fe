from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from openswerl.report.figures.curves import LINE, apart


@given(st.lists(st.floats(0, 100), max_size=7).map(sorted))
def test_labels_do_not_cover_each_other_and_stay_below_the_top(aims: list[float]) -> None:
    found = apart(aims, 100.0)
    assert all(upper - lower >= LINE - 1e-9 for lower, upper in pairwise(found))
    assert all(place <= 100 for place in found)


def test_labels_with_room_stay_where_they_are() -> None:
    assert apart([0.0, 20.0, 50.0], 100.0) == [0.0, 20.0, 50.0]
