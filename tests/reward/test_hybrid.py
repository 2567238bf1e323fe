from typing import Any

import pytest

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


def test_a_malformed_answer_earns_the_penalty_once() -> None:
    assert hybrid("what?", continuous=0.75, discrete=0.25) == Score(-1.0, "missing_tag")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "weights must be positive and sum to 1"),
        ({"parts": {"continuous": 0.5}}, "weights must be positive and sum to 1"),
        ({"parts": {"continuous": 1.5, "discrete": -0.5}}, "weights must be positive and sum to 1"),
        ({"parts": {"continuous": 0.5, "unidiff": 0.5}}, "has unidiff, which read no search_replace answers"),
        ({"parts": {"continuous": 0.5, "fuzzy": 0.5}}, "reward.kind=fuzzy is not known"),
        ({"parts": {"continuous": 1.0}, "clones": "x"}, "has clones, which no part"),
        ({"parts": {"hybrid": 1.0}}, "weights must be positive and sum to 1"),
        ({"parts": {"continuous": 0.5, "execution": 0.5}}, "needs reward.options with clones"),
    ],
)
def test_parts_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message.replace(".", r"\.")):
        ScorePool("hybrid", options=options)
