import functools
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.evaluate.mini.evidence import Chosen, Evidence, KeptTest, Patch
from openswerl.evaluate.mini.rerank import Stages, choose
from openswerl.evaluate.results.localisation import Intervals
from openswerl.evaluate.results.scaling import PAPER_POINTS, Plan, curves, draw, plan_for, wanted

Make = Callable[..., Evidence]
INTERVALS = Intervals(0.95, 500, 0)
vote = functools.partial(choose, stages=Stages(regression=False, reproduction=False))
reproduce = functools.partial(choose, stages=Stages(regression=False, reproduction=True))


def patches(*passed: list[bool]) -> list[Patch]:
    return [Patch(str(k), str(k), None, 0, flags) for k, flags in enumerate(passed)]


def test_points_are_the_papers_at_its_size_and_doublings_below() -> None:
    assert (plan_for(500, 30).repair, plan_for(500, 30).tests) == (PAPER_POINTS["repair"], PAPER_POINTS["tests"])
    assert (plan_for(12, 4).repair, plan_for(12, 4).tests) == ((1, 2, 4, 8, 12), (1, 2, 4))
    assert (plan_for(1, 0).repair, plan_for(1, 0).tests) == ((1,), ())


def test_mean_over_draws_approaches_the_mean_over_all_subsets(evidence: Make) -> None:
    """Of five samples, patch 0 is right and occurs twice; ties go to the earliest sample."""
    samples = [1, 0, 2, 0, 1]
    row = evidence(samples=samples, reasons=[None] * 5, patches=patches([], [], []), tests=[])
    drawn = draw([row], Plan((3,), (), draws=4000), vote)
    (point,) = curves(drawn, {("i", 0): True, ("i", 1): False, ("i", 2): False}, INTERVALS)["repair"]
    exact = mean(_right([samples[n] for n in subset]) for subset in itertools.combinations(range(5), 3))
    assert point["rate"] == pytest.approx(exact, abs=0.03) and 0.2 < exact < 0.8


def _right(chosen: list[int]) -> bool:
    best = max(Counter(chosen).values())
    return next(patch for patch in chosen if chosen.count(patch) == best) == 0


def test_tests_are_drawn_without_replacement(evidence: Make) -> None:
    """Patch 0 passes test 0 alone, patch 1 tests 1 and 2, and ties go to the earliest sample, of patch 0.

    One test: patch 0 wins with test 0 alone. Two: a tie with test 0, a loss without it. Three: patch 1 wins.
    """
    row = evidence(samples=[0, 1], reasons=[None, None], patches=patches([True, False, False], [False, True, True]))
    drawn = draw([row], Plan((), (1, 2, 3), draws=3000), reproduce)
    found = curves(drawn, {("i", 0): True, ("i", 1): False}, INTERVALS)["tests"]
    assert [point["rate"] for point in found] == pytest.approx([1 / 3, 2 / 3, 0], abs=0.03)


def test_the_last_point_is_the_whole_run(evidence: Make) -> None:
    rows = [evidence("x"), evidence("y", samples=[0], reasons=[None])]
    drawn = draw(rows, Plan((1, 4), (3,)), vote)
    last = {(one.axis, one.instance_id): one.patches for one in drawn if one.k > 1}
    assert last == {("repair", "x"): (1,), ("tests", "x"): (1,), ("repair", "y"): (0,), ("tests", "y"): (0,)}


@given(st.permutations(["a", "b", "c"]), st.integers(0, 3))
def test_draws_depend_on_seed_and_instance_alone(order: list[str], seed: int) -> None:
    rows = {name: _eight_patches(name) for name in order}
    plan = Plan((2, 5), (1, 2), draws=6, seed=seed)
    together = draw([rows[name] for name in order], plan, vote)
    assert together == [one for name in order for one in draw([rows[name]], plan, vote)]
    first, other = (draw([rows["a"]], Plan((2,), (), 50, number), vote)[0].patches for number in (seed, seed + 1))
    assert first != other


def _eight_patches(name: str) -> Evidence:
    tests = [KeptTest(str(k), 1) for k in range(3)]
    chosen = Chosen(None, None, None, None)
    flags = [True, False, True]
    return Evidence(name, "s", [], list(range(8)), [None] * 8, patches(*[flags] * 8), tests, 0, chosen, {})


def test_a_draw_is_a_set_of_samples_or_of_tests(evidence: Make) -> None:
    seen: list[tuple[Collection[int] | None, Collection[int] | None]] = []

    def look(samples: Sequence[int | None], patches: Sequence[Patch], *, among: Any, tests: Any) -> int | None:
        seen.append((among, tests))
        return None

    draw([evidence(samples=[0, 1, 0, 1, 0], reasons=[None] * 5)], Plan((3,), (2,), draws=200), look)
    by_samples, by_tests = seen[:200], seen[200:]
    assert {among for among, tests in by_samples if tests is None} == _subsets(5, 3)
    assert {tests for among, tests in by_tests if among is None} == _subsets(3, 2)


def _subsets(of: int, size: int) -> set[frozenset[int]]:
    return {frozenset(subset) for subset in itertools.combinations(range(of), size)}


def test_no_patch_counts_and_no_answer_does_not(evidence: Make) -> None:
    none = evidence("none", samples=[None, None], reasons=["no_tags", "rate_limit"], tests=[])
    lost = evidence("lost", samples=[None, None], reasons=["rate_limit", "server_error"])
    right = evidence("right", samples=[1, 1], reasons=[None, None], tests=[])
    broken = evidence("broken", samples=[1, 1], reasons=[None, None], tests=[])
    drawn = draw([none, lost, right, broken], Plan((2,), (3,)), vote)
    assert wanted(drawn) == {("right", 1), ("broken", 1)}
    found = curves(drawn, {("right", 1): True, ("broken", 1): None}, INTERVALS)
    for axis in ("repair", "tests"):
        (point,) = found[axis]
        assert (point["instances"], point["not_judged"], point["rate"]) == (2, 2, 0.5)


def test_nothing_judged_has_no_rate(evidence: Make) -> None:
    drawn = draw([evidence(samples=[None], reasons=["unreachable"])], Plan((1,), ()), vote)
    assert curves(drawn, {}, INTERVALS)["repair"] == [
        {"k": 1, "instances": 0, "not_judged": 1, "rate": None, "low": None, "high": None}
    ]


def test_a_chosen_patch_without_verdict_is_named(evidence: Make) -> None:
    with pytest.raises(ValueError, match="patch 1 of i is chosen in a subsample"):
        curves(draw([evidence()], Plan((4,), ()), vote), {}, INTERVALS)


def test_intervals_are_over_instances(evidence: Make) -> None:
    """400 instances with one sample each, 160 right: as the normal approximation says, 1.96 sqrt(.4 .6 / 400)."""
    rows = [evidence(f"i{k}", samples=[0], reasons=[None]) for k in range(400)]
    verdicts = {(f"i{k}", 0): k < 160 for k in range(400)}
    (point,) = curves(draw(rows, Plan((1,), ()), vote), verdicts, Intervals(0.95, 4000, 0))["repair"]
    assert (point["low"], point["high"]) == pytest.approx((0.4 - 0.048, 0.4 + 0.048), abs=0.005)
