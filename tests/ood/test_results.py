import numpy as np
import pytest

from openswerl.ood.results import macro_interval, metrics, summarise


def row(correct, group="", answer="a", status="wrong", reason=None):
    return {"correct": correct, "group": group, "answer": answer, "status": status, "reason": reason, "finished": True}


def test_what_was_not_judged_is_in_no_rate():
    rows = [
        *[row(True, status="correct")] * 3,
        row(False),
        row(False, answer=None, status="format_error"),
        *[row(None, answer=None, status="error", reason="rate_limit")] * 5,
    ]
    found = summarise(rows, macro=False)
    assert (found["items"], found["n"], found["not_judged"], found["correct"]) == (10, 5, 5, 3)
    assert (found["rate"], found["format"]) == (0.6, 0.8)
    assert (round(found["rate_low"], 4), round(found["rate_high"], 4)) == (0.2307, 0.8824)  # Wilson, 3 of 5
    assert found["statuses"] == {"correct": 3, "error": 5, "format_error": 1, "wrong": 1}
    assert found["reasons"] == {"rate_limit": 5}


def test_without_a_judged_answer_there_is_no_rate():
    found = summarise([row(None, answer=None, status="error", reason="infrastructure")], macro=True)
    assert found["rate"] is found["rate_low"] is found["format"] is None
    assert metrics({"mmlu": found}) == {"step": 0}


def test_a_macro_rate_is_the_mean_of_the_groups():
    """One group has 1 of 2 right, the other 1 of 8: (0.5 + 0.125) / 2, where all items together are 0.2."""
    rows = [row(k == 0, "law") for k in range(2)] + [row(k == 0, "art") for k in range(8)]
    found = summarise(rows, macro=True)
    assert found["rate"] == 0.3125 and found["rate_low"] < 0.3125 < found["rate_high"]
    assert summarise(rows, macro=False)["rate"] == 0.2


def test_the_macro_interval_is_as_wide_as_theory_says():
    """Two groups of 100 with rates 0.5 and 0.9: the mean's standard error is sqrt(.25/100 + .09/100) / 2."""
    groups = [np.array([1.0] * k + [0.0] * (100 - k)) for k in (50, 90)]
    low, high = macro_interval(groups)
    error = 1.96 * ((0.25 + 0.09) / 100) ** 0.5 / 2
    assert low == pytest.approx(0.7 - error, abs=0.005) and high == pytest.approx(0.7 + error, abs=0.005)


def test_where_nothing_varies_wilson_stands_in():
    low, high = macro_interval([np.ones(5), np.ones(5)])
    assert high == 1 and round(low, 4) == 0.7225  # Wilson, 10 of 10
