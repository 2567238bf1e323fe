"""What `result.json` says of Agentless Mini besides its resolve rates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from openswerl.evaluate.mini.evidence import Evidence
from openswerl.evaluate.results.breakdown import Facts
from openswerl.evaluate.results.localisation import Intervals, localisation
from openswerl.evaluate.results.scaling import Drawn, Verdicts, curves
from openswerl.rollout import FAULTS
from openswerl.statistics import pass_at_k, wilson

INTERVALS = Intervals()


def slim(row: Evidence) -> Evidence:
    """Return the row without the texts of patches and tests, which no number needs, so that 500 x 500 fit in memory."""
    patches = [msgspec.structs.replace(patch, patch="") for patch in row.patches]
    tests = [msgspec.structs.replace(test, source="") for test in row.tests]
    return msgspec.structs.replace(row, patches=patches, tests=tests)


def summarise_mini(
    rows: Sequence[Evidence],
    facts: Mapping[str, Facts],
    drawn: Sequence[Drawn],
    verdicts: Verdicts,
    intervals: Intervals = INTERVALS,
) -> dict[str, Any]:
    """Return {"selection", "confidence", "splits": {split: summary}}; see README.md for the summary.

    Args:
        rows: the evidence of every instance that Agentless Mini worked on, at least one.
        facts: by instance id; opened after all answers were given.
        drawn: what `scaling.draw` gave for these rows, empty for no curves.
        verdicts: of every patch in `scaling.wanted(drawn)`, and of more for pass@k.
        intervals: of all means over instances.
    """
    splits = dict.fromkeys(row.split for row in rows)
    return {
        "selection": _selection(rows),
        "confidence": intervals.confidence,
        "splits": {
            split: _split(
                [row for row in rows if row.split == split],
                facts,
                [one for one in drawn if one.split == split],
                verdicts,
                intervals,
            )
            for split in splits
        },
    }


def _selection(rows: Sequence[Evidence]) -> str:
    """One row that looked at the test patch marks all."""
    return max({row.selection for row in rows}, key=lambda selection: selection != "honest")


def _split(
    rows: Sequence[Evidence],
    facts: Mapping[str, Facts],
    drawn: Sequence[Drawn],
    verdicts: Verdicts,
    intervals: Intervals,
) -> dict[str, Any]:
    return {
        "instances": len(rows),
        "localisation": localisation(rows, facts, intervals),
        "tests": _tests(rows, intervals),
        "regression": {"instances": sum(row.regression_tests > 0 for row in rows), "tests": _mean_regression(rows)},
        "repair": _repair(rows),
        "scaling": curves(drawn, verdicts, intervals),
        "pass_at_k": _pass_at_k(rows, verdicts),
        "counts": _counts(rows),
    }


def _tests(rows: Sequence[Evidence], intervals: Intervals) -> dict[str, Any]:
    """Share of instances with a reproduction test that shows the issue, Wilson interval; tests kept an instance.

    `unanswered` counts the instances for which no program came: they are in no rate.
    """
    asked = [row for row in rows if not _no_program_came(row)]
    having, n = sum(bool(row.tests) for row in asked), len(asked)
    low, high = wilson(having, n, intervals.confidence) if n else (None, None)
    rates = {"rate": having / n if n else None, "low": low, "high": high}
    kept = sum(len(row.tests) for row in asked) / n if n else 0.0
    return {"instances": having, **rates, "kept": kept, "unanswered": len(rows) - n}


def _no_program_came(row: Evidence) -> bool:
    """Whether all that is known of an instance's programs is why they never came."""
    told = {name.removeprefix("program_") for name in row.counts if name.startswith("program_")}
    ran = any(name.startswith("base_") for name in row.counts)
    return not row.tests and not ran and bool(told) and told <= set(FAULTS)


def _counts(rows: Sequence[Evidence]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for row in rows:
        found.update(row.counts)
    return dict(sorted(found.items()))


def _mean_regression(rows: Sequence[Evidence]) -> float:
    return sum(row.regression_tests for row in rows) / len(rows)


def _repair(rows: Sequence[Evidence]) -> dict[str, Any]:
    """Samples and distinct patches an instance, and what became of the samples without a patch."""
    reasons = Counter(reason for row in rows for reason in row.reasons if reason)
    return {
        "samples": sum(len(row.samples) for row in rows) / len(rows),
        "distinct": sum(len(row.patches) for row in rows) / len(rows),
        "unanswered": sum(count for reason, count in reasons.items() if reason in FAULTS),
        "reasons": dict(sorted(reasons.items())),
    }


def _pass_at_k(rows: Sequence[Evidence], verdicts: Verdicts) -> dict[str, float] | None:
    """Return the unbiased pass@k at 1, 2, 4, ...: what the best choice could reach. None unless all is judged."""
    flags = [_flags(row, verdicts) for row in rows]
    judged = [group for group in flags if group]
    samples = min(map(len, judged), default=0)
    if not samples or None in flags:
        return None
    sizes = sorted({2**power for power in range(samples.bit_length())} | {samples})
    return {str(k): sum(pass_at_k(len(g), sum(g), k) for g in judged) / len(judged) for k in sizes}


def _flags(row: Evidence, verdicts: Verdicts) -> list[bool] | None:
    """Return, of each answered sample, whether it resolves the instance; None if a patch has no verdict."""
    answered = [patch for patch, why in zip(row.samples, row.reasons, strict=True) if why not in FAULTS]
    found = [False if patch is None else verdicts.get((row.instance_id, patch)) for patch in answered]
    flags = [flag for flag in found if flag is not None]
    return flags if len(flags) == len(found) else None
