"""Rewards of a repair answer, importable alone: `from openswerl.reward import score`."""

from openswerl.reward.outcome import Score
from openswerl.reward.pool import ScorePool, score
from openswerl.reward.registry import REWARDS

__all__ = ["REWARDS", "Score", "ScorePool", "score"]
