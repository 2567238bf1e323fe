"""Rates of a suite: pass@1 of one greedy answer an item, over the items that were judged."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openswerl.ood.suite import Row
from openswerl.statistics import Interval, wilson

CONFIDENCE = 0.95
RESAMPLES, SEED = 10_000, 0


def summarise(rows: Sequence[Row], macro: bool) -> dict[str, Any]:
    """Return the numbers of one suite; `macro`: `rate` is the mean over groups, as Table 3 has it for MMLU.

    Rates are None where nothing was judged.
    """
    judged = [row for row in rows if row["correct"] is not None]
    right, n = sum(row["correct"] for row in judged), len(judged)
    formed = sum(row["answer"] is not None for row in judged)
    found: dict[str, Any] = {
        "items": len(rows),
        "n": n,
        "not_judged": len(rows) - n,
        "unfinished": sum(not row["finished"] for row in judged),
        "correct": right,
        **_rate("rate", right, n),
        **_rate("format", formed, n),
        "macro": macro,
        "statuses": _counts(row["status"] for row in rows),
        "reasons": _counts(row["reason"] for row in rows if row["reason"]),
    }
    if macro and judged:
        groups = flags(judged)
        low, high = macro_interval(groups)
        found |= {"rate": float(np.mean([group.mean() for group in groups])), "rate_low": low, "rate_high": high}
    return found


def flags(rows: Iterable[Row]) -> list[NDArray[np.float64]]:
    """Return, of each group, which items are right: 1.0 or 0.0, shape (items,)."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row["correct"])
    return [np.array(group, dtype=np.float64) for group in found.values()]


def macro_interval(groups: Sequence[NDArray[np.float64]]) -> Interval:
    """Return the percentile interval of the mean of the groups' means, items drawn anew within each group.

    Where no group has both right and wrong items nothing varies, and Wilson over all items stands in.
    """
    if all(group.min() == group.max() for group in groups):
        every = np.concatenate(groups)
        return wilson(every.sum(), len(every), CONFIDENCE)
    draw = np.random.default_rng(SEED)
    sizes = (len(group) for group in groups)
    means = [draw.binomial(size, group.mean(), RESAMPLES) / size for size, group in zip(sizes, groups, strict=True)]
    low, high = np.quantile(np.mean(means, axis=0), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def metrics(suites: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the one metrics row: every rate under "suite/name"."""
    rates = ("rate", "format")
    return {"step": 0, **{f"{name}/{key}": found[key] for name, found in suites.items() for key in rates if found["n"]}}


def _rate(name: str, k: int, n: int) -> dict[str, float | None]:
    low, high = wilson(k, n, CONFIDENCE) if n else (None, None)
    return {name: k / n if n else None, f"{name}_low": low, f"{name}_high": high}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
