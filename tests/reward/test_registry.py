import pytest

from openswerl.errors import UserError
from openswerl.reward import REWARDS, ScorePool, score


def test_the_paper_s_two_rewards_are_there() -> None:
    assert set(REWARDS) >= {"continuous", "discrete"}


@pytest.mark.parametrize(("key", "value"), [("kind", "fuzzy"), ("compat", "strict")])
def test_an_unknown_name_is_refused_with_the_known_ones(key: str, value: str) -> None:
    known = {"kind": "continuous, discrete", "compat": "paper"}[key]
    for make in (lambda **names: score({}, {}, "", **names), ScorePool):
        with pytest.raises(UserError, match=f"reward.{key}={value} .* {known}$"):
            make(**{key: value})
