"""The rows of outcomes.jsonl, and their summary by split and decoding."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import Problem
from openswerl.statistics import pass_at_k, wilson

CONFIDENCE = 0.95
Row = dict[str, Any]


def outcome_row(problem: Problem, candidate: Candidate, verdict: Verdict) -> Row:
    """Return one row; the answer's text is kept for greedy decoding alone. Holds no path, time or test output."""
    patch = candidate.patch
    return {
        "instance_id": problem.task.instance_id,
        "split": problem.task.split,
        "decoding": candidate.decoding,
        "sample": candidate.sample,
        "format_ok": candidate.format_ok,
        "status": verdict.status,
        "reason": verdict.reason,
        "patch_sha": hashlib.sha256(patch.encode("utf-8", "surrogateescape")).hexdigest() if patch else None,
        "output": candidate.output if candidate.decoding == "greedy" else None,
        "reward": None,
    }


def summarise(rows: Sequence[Row]) -> dict[str, dict[str, Row]]:
    """Return {split: {decoding: summary}} in order of appearance."""
    summary: dict[str, dict[str, Row]] = {}
    for split, decoding in dict.fromkeys((row["split"], row["decoding"]) for row in rows):
        chosen = [row for row in rows if (row["split"], row["decoding"]) == (split, decoding)]
        summary.setdefault(split, {})[decoding] = _summary(chosen, decoding)
    return summary


def _summary(rows: Sequence[Row], decoding: str) -> Row:
    """Rates are means over answers. The Wilson interval counts instances, as samples of one are not independent."""
    right: dict[str, list[bool]] = {}
    for row in rows:
        right.setdefault(row["instance_id"], []).append(row["status"] == "resolved")
    resolved = sum(sum(flags) / len(flags) for flags in right.values())
    low, high = wilson(min(resolved, len(right)), len(right), CONFIDENCE)
    summary = {
        "instances": len(right),
        "answers": len(rows),
        "format_rate": sum(row["format_ok"] for row in rows) / len(rows),
        "resolved_rate": resolved / len(right),
        "resolved_low": low,
        "resolved_high": high,
        "statuses": _counts(row["status"] for row in rows),
        "reasons": _counts(row["reason"] for row in rows if row["reason"]),
    }
    if decoding == "sample":
        summary["pass_at_k"] = _pass_at_k(list(right.values()))
    return summary


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _pass_at_k(right: Sequence[Sequence[bool]]) -> dict[str, float]:
    samples = min(map(len, right))
    return {
        str(k): sum(pass_at_k(len(flags), sum(flags), k) for flags in right) / len(right) for k in range(1, samples + 1)
    }


def metrics(summary: dict[str, dict[str, Row]]) -> Row:
    """Return the one metrics row: every rate under "split/decoding/name"."""
    numbers = {
        f"{split}/{decoding}/{name}": value
        for split, decodings in summary.items()
        for decoding, values in decodings.items()
        for name, value in values.items()
        if isinstance(value, float)
    }
    return {"step": 0, **numbers}
