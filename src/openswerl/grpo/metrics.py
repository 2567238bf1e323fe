"""What people watch, from the samples of a step."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from openswerl.grpo.rollouts import UNFINISHED, Rollout
from openswerl.reward.outcome import TIMEOUT

LOW, HIGH, BINS = -1.0, 1.0, 20
QUANTILES = (0, 25, 50, 75, 100)


def rollout_metrics(rows: Sequence[Rollout]) -> dict[str, Any]:
    """Return statistics of the rewards, rates over all answers, counts of reasons and events, and lengths in tokens.

    `unanswered_rate` and `masked_rate` are over all samples; without an answer the other rates are nan. `format_rate`
    counts what is neither malformed nor unfinished. `timeout_rate` and `unscorable_rate` are of answers that were not
    scored, for lack of time and for any other reason; no rate blames the policy for the latter.
    """
    n = sum(row.answered for row in rows)
    reasons = Counter(row.reason for row in rows if row.reason is not None)
    unscorable = sum(row.reward is None and row.answered and row.reason not in (UNFINISHED, TIMEOUT) for row in rows)
    malformed = reasons.total() - reasons[TIMEOUT] - unscorable - (len(rows) - n)
    lengths = [row.tokens for row in rows]
    return {
        **reward_metrics([row.reward for row in rows if row.reward is not None]),
        "format_rate": 1 - _share(malformed, n),
        "exact_rate": _share(sum(row.reason is None and row.reward == 1 for row in rows), n),
        "unfinished_rate": _share(reasons[UNFINISHED], n),
        "timeout_rate": _share(reasons[TIMEOUT], n),
        "unscorable_rate": _share(unscorable, n),
        "unanswered_rate": 1 - n / len(rows),
        "masked_rate": sum(row.reward is None for row in rows) / len(rows),
        "reasons": dict(sorted(reasons.items())),
        "events": dict(sorted(Counter(event for row in rows for event in row.events).items())),
        "response_tokens": _share(sum(lengths), n),
        "response_tokens_max": max(lengths),
    }


def _share(count: int, n: int) -> float:
    return count / n if n else float("nan")


def reward_metrics(rewards: Sequence[float]) -> dict[str, Any]:
    """Return mean, deviation, quantiles and histogram; nan for none. A reward beyond the bins is in the outermost."""
    values = np.array(rewards or [np.nan])
    counts, _ = np.histogram(np.clip(np.array(rewards), LOW, HIGH), bins=BINS, range=(LOW, HIGH))
    quantiles = np.percentile(values, QUANTILES)
    return {
        "reward_mean": float(values.mean()),
        "reward_std": float(values.std()),
        "reward_quantiles": {f"p{q}": float(value) for q, value in zip(QUANTILES, quantiles, strict=True)},
        "reward_histogram": {"low": LOW, "high": HIGH, "counts": counts.tolist()},
    }
