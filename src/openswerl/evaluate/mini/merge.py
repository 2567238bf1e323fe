"""Join the journals of all steps into one row of evidence an instance."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from openswerl.evaluate.mini.evidence import Evidence, Patch
from openswerl.evaluate.mini.localise import Localised
from openswerl.evaluate.mini.programs import Program
from openswerl.evaluate.mini.regression import Regression
from openswerl.evaluate.mini.repair import Repaired
from openswerl.evaluate.mini.reproduce import Reproduction
from openswerl.evaluate.mini.rerank import Stages, choices
from openswerl.evaluate.mini.verify import Verified, distinct_patches
from openswerl.evaluate.views import TaskView
from openswerl.rollout import FAULTS


class Found(NamedTuple):
    """The rows of one instance, step by step."""

    localised: Sequence[Localised]
    repaired: Sequence[Repaired]
    programs: Sequence[Program]
    reproduction: Reproduction
    regression: Regression
    verified: Sequence[Verified]


def evidence_of(task: TaskView, found: Found, stages: Stages, selection: str) -> Evidence:
    """Return an instance's evidence, its choices made."""
    distinct = distinct_patches(found.repaired)
    patches = [
        Patch(row.patch, str(row.key), row.refused, result.regression_failures, result.passed)
        for row, result in zip(distinct.patches, found.verified, strict=True)
    ]
    return Evidence(
        instance_id=task.instance_id,
        split=task.split,
        files=[row.files for row in found.localised if row.reason not in FAULTS],
        samples=distinct.samples,
        reasons=[row.reason for row in found.repaired],
        patches=patches,
        tests=found.reproduction.tests,
        regression_tests=len(found.regression.tests),
        chosen=choices(distinct.samples, patches, stages),
        counts={name: count for name, count in _counts(found, patches).items() if count},
        selection=selection,
    )


def _counts(found: Found, patches: Sequence[Patch]) -> Mapping[str, int]:
    """Return what was lost on the way, sorted by name; README.md explains each name."""
    regression = found.regression
    counts = {
        **_reasons("localisation", (row.reason for row in found.localised)),
        "localisation_unknown_paths": sum(row.unknown for row in found.localised),
        "localisation_files_left_out": max((row.left_out for row in found.localised), default=0),
        **_reasons("repair", (row.reason for row in found.repaired)),
        "repair_files_skipped": sum(row.skipped for row in found.repaired),
        **_reasons("program", (row.reason for row in found.programs)),
        **{f"base_{said}": count for said, count in found.reproduction.counts.items()},
        **_reasons("regression", [regression.reason]),
        **_reasons("exclusion", [regression.fault]),
        "regression_unstable": regression.unstable,
        "regression_excluded": regression.excluded,
        "patches_refused": sum(bool(patch.refused) for patch in patches),
        "patches_without_result": sum(row.passed is None or row.regression_failures is None for row in found.verified),
    }
    return dict(sorted(counts.items()))


def _reasons(step: str, reasons: Iterable[str | None]) -> dict[str, int]:
    return {f"{step}_{reason}": count for reason, count in Counter(filter(None, reasons)).items()}
