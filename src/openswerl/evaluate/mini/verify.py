"""Step 5: run every different patch with the kept tests."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.mini.regression import Regression, failures
from openswerl.evaluate.mini.repair import Repaired
from openswerl.evaluate.mini.reproduce import Reproduction, resolves
from openswerl.evaluate.oracle.vote import NO_EDIT
from openswerl.evaluate.views import TaskView


class Verified(msgspec.Struct, frozen=True):
    """What came of one different patch of an instance, by its number; fields as in `evidence.Patch`."""

    instance_id: str
    patch: int
    regression_failures: int | None
    passed: list[bool] | None


class Distinct(NamedTuple):
    """The different patches of an instance, each by its earliest sample, and every sample's patch by number."""

    patches: list[Repaired]
    samples: list[int | None]


def distinct_patches(rows: Sequence[Repaired]) -> Distinct:
    """Tell the patches of an instance's samples apart by their normalised keys."""
    numbers: dict[str, int] = {}
    patches: list[Repaired] = []
    samples: list[int | None] = []
    for row in rows:
        if row.key is not None and row.key not in numbers:
            numbers[row.key] = len(patches)
            patches.append(row)
        samples.append(None if row.key is None else numbers[row.key])
    return Distinct(patches, samples)


def verify(
    task: TaskView, patches: Sequence[Repaired], tests: Reproduction, kept: Regression, backend: Cached
) -> Iterator[Verified]:
    """Yield one row a patch. What is refused, and what changes nothing but comments, is not run."""
    for number, row in enumerate(patches):
        if row.refused or row.key == NO_EDIT:
            yield Verified(task.instance_id, number, None, None)
        else:
            broken = failures(task, row.patch, kept, backend)
            passed = [resolves(task, row.patch, test.source, backend) for test in tests.tests]
            whole = None if None in passed else [flag is True for flag in passed]
            yield Verified(task.instance_id, number, broken, whole)
