"""Rewards of a repair answer, importable alone: `from openswerl.reward import score`."""

from openswerl.reward.gate import Gate, gate, golden_answer, require
from openswerl.reward.outcome import Score, UnscorableError, Value
from openswerl.reward.pool import ScorePool, open_rewards, score
from openswerl.reward.registry import answer_of, names
from openswerl.reward.settings import Call, call_of
from openswerl.reward.work import Work

__all__ = [
    "Call",
    "Gate",
    "Score",
    "ScorePool",
    "UnscorableError",
    "Value",
    "Work",
    "answer_of",
    "call_of",
    "gate",
    "golden_answer",
    "names",
    "open_rewards",
    "require",
    "score",
]
