from collections.abc import Callable

import pytest

from openswerl.evaluate.mini.evidence import Evidence
from openswerl.evaluate.results.breakdown import Facts
from openswerl.evaluate.results.localisation import Intervals, localisation, localised
from openswerl.statistics import wilson

Make = Callable[..., Evidence]
INTERVALS = Intervals(0.95, 500, 0)


def facts(*paths: str, shown: int = 8) -> Facts:
    return Facts("o/r", "", frozenset(paths), shown, tuple(k / shown if shown else 0.0 for k in (1, 2)))


def test_files_spread_over_samples_do_not_add_up(evidence: Make) -> None:
    row = evidence(files=[["a", "b"], ["c", "b"]])
    assert localised(row, ["a", "b"]) is True
    assert localised(row, ["a", "c"]) is False
    assert localised(row, []) is None, "the fix only adds files"
    assert localised(evidence(files=[]), ["a"]) is None, "nothing was asked"


def test_the_summary_counts_what_it_leaves_out(evidence: Make) -> None:
    rows = [evidence("x", files=[["a"]]), evidence("y", files=[["b", "a"]]), evidence("z"), evidence("w", files=[])]
    own = {"x": facts("a", shown=4), "y": facts("a", shown=8), "z": facts(), "w": facts("a")}
    found = localisation(rows, own, INTERVALS)
    assert found and (found["instances"], found["without_oracle"], found["shown"]) == (2, 1, 6.0)
    first, second = found["at"]
    assert (first["k"], first["recall"], first["random"]) == (1, 0.5, pytest.approx((1 / 4 + 1 / 8) / 2))
    assert (first["low"], first["high"]) == (0.0, 1.0), "two instances, one found"
    assert (second["recall"], second["random"]) == (1.0, pytest.approx((2 / 4 + 2 / 8) / 2))
    assert (second["low"], second["high"]) == wilson(2, 2, 0.95), "all agree, so Wilson"
    assert found["any"]["rate"] == 1.0
    assert localisation(rows[2:], own, INTERVALS) is None


def test_where_no_prompt_fits_nothing_is_found_and_chance_finds_nothing(evidence: Make) -> None:
    rows = [evidence("x", files=[[]]), evidence("y", files=[["a"]])]
    found = localisation(rows, {"x": facts("a", shown=0), "y": facts("a", shown=2)}, INTERVALS)
    assert found and found["instances"] == 2 and found["shown"] == 1.0
    assert (found["at"][0]["recall"], found["at"][0]["random"]) == (0.5, 0.25)
