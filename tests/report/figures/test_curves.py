import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.report.figures.curves import smooth


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=19))
def test_few_values_stay_as_they_are(values: list[float]) -> None:
    assert smooth(values) == pytest.approx(values)


def test_many_values_are_averaged_over_a_centred_window() -> None:
    values = np.arange(40.0) ** 2
    found = smooth(list(values))
    assert len(found) == 40
    assert found[10] == pytest.approx(values[8:13].mean())
    assert found[0] == pytest.approx((3 * 0 + 1 + 4) / 5)
