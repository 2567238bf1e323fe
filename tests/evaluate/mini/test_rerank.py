"""Choices worked out by hand (paper appendix B), and a brute-force reference that shares no code."""

import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.evaluate.mini.evidence import Chosen, Patch
from openswerl.evaluate.mini.rerank import Stages, choices, choose
from openswerl.evaluate.oracle.vote import NO_EDIT

VOTE, REGRESSION, REPRODUCTION = Stages(False, False), Stages(True, False), Stages(False, True)


def patch(failures: int | None = 0, passed: str = "", key: str = "k", *, run: bool = True) -> Patch:
    """A patch with its tests as a text: x passes."""
    return Patch("p", key, None, failures, [letter == "x" for letter in passed] if run else None)


def test_without_tests_the_most_frequent_patch_wins_by_its_earliest_sample() -> None:
    patches = [patch(), patch(), patch()]
    assert choose([2, 0, 1, 0], patches) == 1
    assert choose([2, 0, 1], patches) == 0, "a tie goes to the first"
    assert choose([None, None, 1], patches) == 2
    assert choose([], patches) is None and choose([None], patches) is None


def test_the_fewest_regression_failures_stay() -> None:
    samples = [0, 0, 0, 1, 2, 2]
    patches = [patch(2), patch(1), patch(1)]
    assert choose(samples, patches) == 4
    assert choose(samples, patches, REPRODUCTION) == 0


def test_a_patch_without_a_result_has_more_failures_than_any() -> None:
    assert choose([0, 0, 1], [patch(None), patch(9_999)], REGRESSION) == 2
    assert choose([0, 0, 1], [patch(None), patch(10_000)], REGRESSION) == 0


def test_a_consensus_group_scores_samples_times_tests_squared() -> None:
    """Three samples that pass one test score 3; two that pass two tests score 8; one that passes three, 9."""
    samples = [0, 0, 0, 1, 1, 2]
    patches = [patch(passed="x.."), patch(passed="xx."), patch(passed="xxx")]
    assert choose(samples, patches) == 5
    assert choose([*samples, 1], patches) == 3, "three samples that pass two tests score 12"


def test_a_group_is_of_samples_that_pass_the_same_tests() -> None:
    """First test alone: two samples, score 2. Second alone: three samples of two patches, score 3."""
    samples = [0, 0, 1, 2, 2]
    patches = [patch(passed="x."), patch(passed=".x"), patch(passed=".x")]
    assert choose(samples, patches) == 3


def test_equal_groups_go_to_the_earliest_sample() -> None:
    assert choose([1, 0], [patch(passed="x."), patch(passed=".x")]) == 0


def test_a_filter_that_keeps_none_or_all_falls_through_to_the_vote() -> None:
    assert choose([0, 1, 1], [patch(passed=".."), patch(passed="..")]) == 1
    assert choose([0, 1, 1], [patch(passed="xx"), patch(passed="xx")]) == 1
    assert choose([0, 1, 1], [patch(None, run=False), patch(None, run=False)]) == 1


def test_the_regression_filter_comes_first() -> None:
    assert choose([0, 1], [patch(1, "xxx"), patch(0, "x..")]) == 1
    assert choose([0, 1], [patch(1, "xxx"), patch(0, "x..")], REPRODUCTION) == 0


def test_edits_of_comments_take_part_only_alone() -> None:
    patches = [patch(None, key=NO_EDIT, run=False), patch(5, "..")]
    assert choose([0, 0, 1], patches) == 2
    assert choose([0, 0, 1], patches, VOTE) == 2
    assert choose([0, 0, None], patches) == 0


def test_the_choices_of_an_ablation() -> None:
    """0 is the most frequent, 1 breaks nothing, 2 passes more tests of the issue, 3 does both."""
    samples = [0, 0, 0, 0, 0, 1, 1, 2, 2, 3]
    patches = [patch(3, "x."), patch(0, "x."), patch(2, "xx"), patch(0, "xx")]
    assert choices(samples, patches, Stages()) == Chosen(all=9, majority=0, regression=5, reproduction=7)
    assert choices(samples, patches, VOTE).all == 0


def test_a_curve_is_drawn_from_a_part_of_the_samples_and_tests() -> None:
    samples = [0, 1, 1, 2]
    patches = [patch(passed="x.x"), patch(passed="..x"), patch(passed="xxx")]
    assert choose(samples, patches) == 3
    assert choose(samples, patches, among={0, 1, 2}) == 0
    assert choose(samples, patches, among={0, 1, 2}, tests={1}) == 1, "no test passes, so the vote decides"
    assert choose(samples, patches, tests={2}) == 1
    assert choose(samples, patches, among=()) is None


PATCHES = st.lists(
    st.builds(
        lambda failures, passed, run: patch(failures, "".join(passed), run=run),
        st.none() | st.integers(0, 2),
        st.lists(st.sampled_from("x."), min_size=3, max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)
CASES = PATCHES.flatmap(
    lambda patches: st.tuples(
        st.lists(st.none() | st.integers(0, len(patches) - 1), max_size=9),
        st.just(patches),
        st.booleans(),
        st.booleans(),
    )
)


def _reference(samples: list[int | None], patches: list[Patch], regression: bool, reproduction: bool) -> int | None:
    """Score every sample by all rules at once, and take the best one."""
    failures = {k: 10_000 if p.regression_failures is None else p.regression_failures for k, p in enumerate(patches)}
    there = [number for number in samples if number is not None]
    least = min((failures[number] for number in there), default=0)
    stay = [n for n in there if not regression or failures[n] == least]
    best: tuple[Any, ...] = ()
    chosen = None
    for place, number in enumerate(samples):
        if number is None or number not in stay:
            continue
        same = [n for n in stay if (patches[n].passed or [False] * 3) == (patches[number].passed or [False] * 3)]
        score = len(same) * sum(patches[number].passed or []) ** 2 if reproduction else 0
        group_first = -next(k for k, n in enumerate(samples) if n in same) if score else 0
        rank = (score, group_first, stay.count(number), -place)
        if not best or rank > best:
            best, chosen = rank, place
    return chosen


@given(CASES)
def test_choices_agree_with_brute_force(case: Any) -> None:
    samples, patches, regression, reproduction = case
    assert choose(samples, patches, Stages(regression, reproduction)) == _reference(*case)


@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_tests_and_of_patch_numbers_does_not_matter(case: Any, rng: random.Random) -> None:
    samples, patches, regression, reproduction = case
    order, places = rng.sample(range(3), 3), rng.sample(range(len(patches)), len(patches))
    shuffled: list[Any] = [None] * len(patches)
    for old, new in enumerate(places):
        passed = patches[old].passed
        mixed = None if passed is None else [passed[k] for k in order]
        shuffled[new] = Patch("p", "k", None, patches[old].regression_failures, mixed)
    renamed = [None if number is None else places[number] for number in samples]
    stages = Stages(regression, reproduction)
    assert choose(renamed, shuffled, stages) == choose(samples, patches, stages)


@given(CASES)
def test_a_choice_is_a_sample_with_a_patch_and_none_only_without_any(case: Any) -> None:
    samples, patches, regression, reproduction = case
    chosen = choose(samples, patches, Stages(regression, reproduction))
    assert (chosen is None) == (set(samples) <= {None})
    assert chosen is None or samples.index(samples[chosen]) == chosen, "the earliest sample of its patch"


def _possible(samples: list[int | None], patches: list[Patch], regression: bool, reproduction: bool) -> set[int]:
    """Return the patches that may be chosen if ties fall in any way: of every best group, the most frequent ones."""
    failures = {k: 10_000 if p.regression_failures is None else p.regression_failures for k, p in enumerate(patches)}
    there = {number for number in samples if number is not None}
    if regression:
        there = {number for number in there if failures[number] == min(failures[k] for k in there)}
    groups = [[n for n in there if (patches[n].passed or [False] * 3) == passed] for passed in _vectors()]
    scored = [
        (sum(map(samples.count, group)) * sum(patches[group[0]].passed or []) ** 2, group) for group in groups if group
    ]
    top = max((score for score, _ in scored), default=0)
    best = [group for score, group in scored if score == top] if reproduction and top else [list(there)]
    return {n for group in best for n in group if samples.count(n) == max(map(samples.count, group))}


def _vectors() -> list[list[bool]]:
    return [[bool(number & 1), bool(number & 2), bool(number & 4)] for number in range(8)]


@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_samples_decides_ties_alone(case: Any, rng: random.Random) -> None:
    samples, patches, regression, reproduction = case
    possible = _possible(*case)
    for _ in range(4):
        order = rng.sample(samples, len(samples))
        chosen = choose(order, patches, Stages(regression, reproduction))
        assert possible == set() if chosen is None else order[chosen] in possible


@pytest.mark.parametrize("stages", [Stages(), VOTE, REGRESSION, REPRODUCTION])
def test_five_hundred_samples_and_thirty_tests_are_chosen_from_quickly(stages: Stages) -> None:
    rng = random.Random(0)
    patches = [patch(rng.randrange(3), "".join(rng.choice("x.") for _ in range(30))) for _ in range(500)]
    start = time.process_time()
    assert choose(list(range(500)), patches, stages) is not None
    assert time.process_time() - start < 1
