from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from openswerl.edits import Block, render
from openswerl.errors import UserError
from openswerl.reward import Score, ScorePool, score

OLD, NEW = {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}
NEAR = render("t", [Block("a.py", "x = 1", "x = 3")])


def hybrid(output: str, **parts: float) -> Score:
    return score(OLD, NEW, output, kind="hybrid", options={"parts": parts})


def test_it_is_the_weighted_sum_with_the_first_part_s_files() -> None:
    near = score(OLD, NEW, NEAR)
    assert near.reward is not None
    assert hybrid(NEAR, continuous=0.75, discrete=0.25) == Score(0.75 * near.reward, None, near.files)
    assert hybrid(render("t", [Block("a.py", "x = 1", "x = 2")]), continuous=0.75, discrete=0.25).reward == 1.0


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shares=st.lists(st.floats(1e-6, 1), min_size=1, max_size=6))
@example(shares=[0.7, 0.2, 0.1])
@example(shares=[0.1] * 3 + [0.7])
def test_the_sum_is_one_if_all_parts_are_whatever_the_weights(
    make_kind: Callable[..., str], shares: list[float]
) -> None:
    """Added one by one, 0.7, 0.2 and 0.1 make 0.9999999999999999, by which the gate would set everything aside."""
    parts = {make_kind(f"one{i}", "Value(1.0, {})"): share / sum(shares) for i, share in enumerate(shares)}
    assert score({}, {}, "x", kind="hybrid", options={"parts": parts}).reward == 1.0


def test_a_part_that_gives_no_number_is_named(make_kind: Callable[..., str]) -> None:
    parts = {make_kind("one", "Value(1.0, {})"): 0.5, make_kind("bad", "Value(float('nan'), {})"): 0.5}
    with pytest.raises(UserError, match=r"reward\.kind=own\.bad gave nan where a finite number must be"):
        score({}, {}, "x", kind="hybrid", options={"parts": parts})


def test_a_malformed_answer_earns_the_penalty_once() -> None:
    assert hybrid("what?", continuous=0.75, discrete=0.25) == Score(-1.0, "missing_tag")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": 0.5}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": 1.5, "discrete": -0.5}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": 0.5, "unidiff": 0.5}}, "has unidiff, which read no search_replace answers"),
        ({"parts": {"continuous": 0.5, "fuzzy": 0.5}}, "reward.kind=fuzzy is not known"),
        ({"parts": {"continuous": "half", "discrete": 0.5}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": None, "discrete": 1.0}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": float("nan"), "discrete": 0.5}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": float("inf")}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": True}}, "weights must be positive numbers that sum to 1"),
        ({"parts": ["continuous"]}, "weights must be positive numbers that sum to 1"),
        ({"parts": 1.0}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": 1.0}, "clones": "x"}, "has clones, which no part"),
        ({"parts": {"hybrid": 1.0}}, "weights must be positive numbers that sum to 1"),
        ({"parts": {"continuous": 0.5, "execution": 0.5}}, "needs reward.options with clones"),
    ],
)
def test_parts_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message.replace(".", r"\.")):
        ScorePool("hybrid", options=options)
