"""The table of rewards, and the settings that choose from it. A new reward is one file, one row and one YAML."""

from collections.abc import Callable
from dataclasses import dataclass

from openswerl.errors import UserError
from openswerl.reward.continuous import continuous
from openswerl.reward.discrete import discrete
from openswerl.reward.outcome import Score

Reward = Callable[[dict[str, str], dict[str, str]], Score]

REWARDS: dict[str, Reward] = {"continuous": continuous, "discrete": discrete}
COMPAT = ("paper",)


@dataclass(frozen=True, slots=True)
class Settings:
    """Which reward, by which edit rules, and what a format error earns. Raises UserError for an unknown name."""

    kind: str = "continuous"
    compat: str = "paper"
    format_penalty: float = -1.0

    def __post_init__(self) -> None:
        _require("reward.kind", self.kind, REWARDS)
        _require("reward.compat", self.compat, COMPAT)


def _require(key: str, value: str, known: dict[str, Reward] | tuple[str, ...]) -> None:
    if value not in known:
        raise UserError(f"{key}={value} is not known; choose one of: {', '.join(known)}")
