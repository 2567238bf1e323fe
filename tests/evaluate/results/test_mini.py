import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from openswerl.evaluate.mini.evidence import Evidence, Patch
from openswerl.evaluate.mini.rerank import choose
from openswerl.evaluate.results.breakdown import Facts
from openswerl.evaluate.results.localisation import Intervals
from openswerl.evaluate.results.mini import slim, summarise_mini
from openswerl.evaluate.results.scaling import Plan, draw
from openswerl.statistics import wilson

Make = Callable[..., Evidence]
FACTS = {name: Facts("o/r", "", frozenset({"a.py"}), 10, (0.1,)) for name in "xyz"}
INTERVALS = Intervals(0.95, 200, 0)


def first(samples: Sequence[int | None], patches: Sequence[Patch], **_: Any) -> int | None:
    return next((n for n, patch in enumerate(samples) if patch is not None), None)


def test_splits_are_summarised_apart(evidence: Make) -> None:
    rows = [evidence("x"), evidence("y", tests=[], regression_tests=0), evidence("z", split="templates")]
    found = summarise_mini(rows, FACTS, [], {}, INTERVALS)
    assert (found["selection"], found["confidence"], list(found["splits"])) == ("honest", 0.95, ["gate", "templates"])
    gate = found["splits"]["gate"]
    low, high = wilson(1, 2, 0.95)
    assert gate["instances"] == 2
    assert gate["tests"] == {"instances": 1, "rate": 0.5, "low": low, "high": high, "kept": 1.5, "unanswered": 0}
    assert gate["regression"] == {"instances": 1, "tests": 1.0}
    assert gate["repair"] == {"samples": 4.0, "distinct": 2.0, "unanswered": 0, "reasons": {"no_tags": 2}}
    assert gate["counts"] == {"kept": 0, "lost": 2}, "a count of zero is said"
    assert (gate["scaling"], gate["pass_at_k"]) == ({}, None)
    assert gate["localisation"]["at"][0] == {
        "k": 1,
        "recall": 0.5,
        "low": 0.5 * 0 + wilson(1, 2, 0.95)[0],
        "high": high,
        "random": 0.1,
    }
    assert json.loads(json.dumps(found)) == found


def test_numbers_need_no_texts(evidence: Make) -> None:
    rows, verdicts = [evidence("x"), evidence("y")], {(name, patch): patch == 1 for name in "xy" for patch in (0, 1)}
    slimmed = [slim(row) for row in rows]
    assert {patch.patch for row in slimmed for patch in row.patches} == {""}
    found = [
        summarise_mini(group, FACTS, draw(group, Plan((1, 4), (1, 3)), choose), verdicts, INTERVALS)
        for group in (rows, slimmed)
    ]
    assert found[0] == found[1]


def test_one_leaking_selection_marks_the_whole(evidence: Make) -> None:
    rows = [evidence("x"), evidence("y", selection="paper_compat")]
    assert summarise_mini(rows, FACTS, [], {}, INTERVALS)["selection"] == "paper_compat"


def test_curves_and_pass_at_k_by_hand(evidence: Make) -> None:
    """x has patches 0, 1, 1, none with 1 right: two of four; y none right of two answered samples."""
    y = evidence("y", samples=[0, None, 0], reasons=[None, "rate_limit", None])
    rows = [evidence("x"), y]
    verdicts = {("x", 0): False, ("x", 1): True, ("y", 0): False}
    gate = summarise_mini(rows, FACTS, draw(rows, Plan((4,), ()), first), verdicts, INTERVALS)["splits"]["gate"]
    assert [(point["k"], point["rate"]) for point in gate["scaling"]["repair"]] == [(4, 0.0)]
    assert gate["pass_at_k"] == pytest.approx({"1": (2 / 4 + 0) / 2, "2": (1 - 1 / 6) / 2})
    assert gate["repair"]["unanswered"] == 1


def test_pass_at_k_is_not_told_from_some_of_the_patches(evidence: Make) -> None:
    gate = summarise_mini([evidence("x")], FACTS, [], {("x", 1): True}, INTERVALS)["splits"]["gate"]
    assert gate["pass_at_k"] is None


def test_an_instance_for_which_no_program_came_is_in_no_rate(evidence: Make) -> None:
    lost = evidence("y", tests=[], counts={"program_rate_limit": 3})
    bad = evidence("z", tests=[], counts={"program_rate_limit": 3, "program_no_program": 1})
    found = summarise_mini([evidence("x"), lost, bad], FACTS, [], {}, INTERVALS)["splits"]["gate"]["tests"]
    assert (found["instances"], found["rate"], found["unanswered"]) == (1, 0.5, 1)
    assert summarise_mini([lost], FACTS, [], {}, INTERVALS)["splits"]["gate"]["tests"]["rate"] is None
