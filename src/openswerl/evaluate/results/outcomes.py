"""The rows of outcomes.jsonl, and their summary by split and decoding."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from openswerl.evaluate.execution.trees import as_bytes
from openswerl.evaluate.harness.evalscript import touched
from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.results.taxonomy import cause, failed, not_judged
from openswerl.evaluate.views import Problem
from openswerl.statistics import pass_at_k, wilson

CONFIDENCE = 0.95
Row = dict[str, Any]
INVALID: Row = {"status": "env_invalid", "reason": None, "cause": "env_invalid"}


def outcome_row(problem: Problem, candidate: Candidate, verdict: Verdict, localised: bool | None = None) -> Row:
    """Return one row; the answer's text is kept for greedy decoding alone. Holds no path, time or test output.

    `files_extra` counts the files that the patch changes and the reference fix does not. `localised` is what
    `localisation.localised` says of the instance; None where files were given, as in Table 2.
    """
    patch, tests = candidate.patch, failed(verdict.report)
    changed = changed_files(patch)
    return {
        "instance_id": problem.task.instance_id,
        "split": problem.task.split,
        "decoding": candidate.decoding,
        "sample": candidate.sample,
        "format_ok": candidate.format_ok,
        "status": verdict.status,
        "reason": verdict.reason,
        "cause": cause(verdict.status, verdict.reason, tests, localised),
        "f2p_failed": tests.fail_to_pass if tests else None,
        "p2p_failed": tests.pass_to_pass if tests else None,
        "files_changed": len(changed) if patch else None,
        "files_extra": len(changed - changed_files(problem.gold.patch)) if patch else None,
        "patch_sha": hashlib.sha256(as_bytes(patch)).hexdigest() if patch else None,
        "output": candidate.output if candidate.decoding == "greedy" else None,
        "reward": None,
    }


def changed_files(patch: str) -> set[str]:
    """Return the files that a git diff changes, adds or deletes; a renamed one under both names."""
    found = touched(patch)
    return {*found.base, *found.added}


def mark_invalid(rows: Iterable[Row], ids: Collection[str]) -> list[Row]:
    """Return the rows, those of instances that fail the gate as `env_invalid`, whatever became of their answers."""
    return [row | INVALID if row["instance_id"] in ids else row for row in rows]


def summarise(rows: Sequence[Row]) -> dict[str, dict[str, Row]]:
    """Return {split: {decoding: summary}} in order of appearance.

    All rates are over judged answers (`taxonomy.NOT_JUDGED` lists what is not); a rate is None where none was judged.
    """
    return {
        split: {decoding: _summary(chosen, decoding) for decoding, chosen in by_key(group, "decoding").items()}
        for split, group in by_key(rows, "split").items()
    }


def by_key(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    """Return the rows grouped by the value of `key`, in order of appearance."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


def resolved(rows: Iterable[Row]) -> Row:
    """Return the resolve rate of rows of one decoding: means of instances, of each its judged answers.

    The Wilson interval counts instances, as samples of one are not independent. `instances` are those with a judged
    answer, `not_judged` those without any.
    """
    every = by_key(rows, "instance_id")
    right = _flags(every)
    k, n = sum(sum(flags) / len(flags) for flags in right.values()), len(right)
    low, high = wilson(min(k, n), n, CONFIDENCE) if n else (None, None)
    rates = {"resolved_rate": k / n if n else None, "resolved_low": low, "resolved_high": high}
    return {"instances": n, "not_judged": len(every) - n, **rates}


def _flags(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[bool]]:
    """Return, of each instance with a judged answer, which of these resolve it."""
    found = {
        name: [row["status"] == "resolved" for row in group if not not_judged(row["status"], row["reason"])]
        for name, group in rows.items()
    }
    return {name: flags for name, flags in found.items() if flags}


def _summary(rows: Sequence[Row], decoding: str) -> Row:
    formats = [row["format_ok"] for row in rows if not not_judged(row["status"], row["reason"])]
    summary = {
        **resolved(rows),
        "answers": len(rows),
        "answers_not_judged": len(rows) - len(formats),
        "format_rate": sum(formats) / len(formats) if formats else None,
        "statuses": _counts(row["status"] for row in rows),
        "reasons": _counts(row["reason"] for row in rows if row["reason"]),
        "causes": _counts(row["cause"] for row in rows),
    }
    if decoding == "sample":
        summary["pass_at_k"] = _pass_at_k(list(_flags(by_key(rows, "instance_id")).values()))
    return summary


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _pass_at_k(right: Sequence[Sequence[bool]]) -> dict[str, float]:
    samples = min(map(len, right), default=0)
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
