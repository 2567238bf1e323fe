"""Resolve rate over repair samples and over test samples (paper Figure 4), by subsampling one big run.

A subsample of k repair samples, or of k kept reproduction tests, is drawn without replacement and chosen from as the
whole run was; nothing is generated or executed again. First `draw` says which patches are chosen, so that exactly these
are graded; then `curves` averages their verdicts.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, Protocol

import msgspec

from openswerl.evaluate.mini.evidence import Evidence, Patch
from openswerl.evaluate.results.localisation import Intervals
from openswerl.rollout import FAULTS

Axis = Literal["repair", "tests"]
AXES: tuple[Axis, ...] = ("repair", "tests")
PAPER_POINTS: dict[Axis, tuple[int, ...]] = {"repair": (20, 40, 80, 160, 320, 500), "tests": (1, 5, 10, 20, 30)}
Verdicts = Mapping[tuple[str, int], bool | None]
"""By instance id and number of the distinct patch: whether it resolves; None where it could not be judged."""


class Choose(Protocol):
    """`rerank.choose` with its stages: the number of the chosen repair sample, None where none has a patch; pure."""

    def __call__(
        self,
        samples: Sequence[int | None],
        patches: Sequence[Patch],
        *,
        among: Collection[int] | None,
        tests: Collection[int] | None,
    ) -> int | None:
        """Choose among these samples, by these tests; None is all."""


@dataclass(frozen=True)
class Plan:
    """The sizes of the subsamples of each axis, how many are drawn of each size, and the seed of all draws."""

    repair: tuple[int, ...]
    tests: tuple[int, ...]
    draws: int = 20
    seed: int = 0

    def points(self, axis: Axis) -> tuple[int, ...]:
        """Return the sizes along an axis."""
        return self.repair if axis == "repair" else self.tests


def plan_for(samples: int, tests: int, draws: int = 20, seed: int = 0) -> Plan:
    """Return the paper's points where the run is as large as the paper's, else 1, 2, 4, ... up to the run's size."""
    return Plan(_points(samples, "repair"), _points(tests, "tests"), draws, seed)


def _points(largest: int, axis: Axis) -> tuple[int, ...]:
    if largest >= PAPER_POINTS[axis][-1]:
        return PAPER_POINTS[axis]
    doubled = [2**power for power in range(largest.bit_length()) if 2**power < largest]
    return (*doubled, largest) if largest else ()


class Drawn(msgspec.Struct, frozen=True):
    """What is chosen for one instance at one point: one number of a distinct patch a draw, None without any patch.

    `unanswered` counts the draws none of whose samples was answered: they say nothing about the policy.
    """

    axis: Axis
    k: int
    instance_id: str
    split: str
    patches: tuple[int | None, ...]
    unanswered: int = 0


def draw(rows: Iterable[Evidence], plan: Plan, choose: Choose) -> list[Drawn]:
    """Return the choices at every point; each instance, axis and size has draws of its own, in any order of rows.

    An instance with fewer samples or tests than a point asks for keeps all that it has.
    """
    return [_drawn(row, axis, k, plan, choose) for row in rows for axis in AXES for k in plan.points(axis)]


def wanted(drawn: Iterable[Drawn]) -> set[tuple[str, int]]:
    """Return the distinct patches, by instance and number, whose verdicts `curves` needs."""
    return {(one.instance_id, patch) for one in drawn for patch in one.patches if patch is not None}


def _drawn(row: Evidence, axis: Axis, k: int, plan: Plan, choose: Choose) -> Drawn:
    parts = _parts(row, axis, k, plan)
    every = [(part, None) if axis == "repair" else (None, part) for part in parts]
    answered = [(among, tests) for among, tests in every if not _lost(row, among)]
    chosen = [choose(row.samples, row.patches, among=among, tests=tests) for among, tests in answered]
    patches = tuple(None if sample is None else row.samples[sample] for sample in chosen)
    return Drawn(axis, k, row.instance_id, row.split, patches, len(every) - len(answered))


def _lost(row: Evidence, among: Collection[int] | None) -> bool:
    """Whether none of these samples was answered."""
    reasons = row.reasons if among is None else [row.reasons[sample] for sample in among]
    return bool(reasons) and all(reason in FAULTS for reason in reasons)


def _parts(row: Evidence, axis: Axis, k: int, plan: Plan) -> list[frozenset[int]]:
    have = len(row.samples if axis == "repair" else row.tests)
    rng = Random(f"{plan.seed} {row.instance_id} {axis} {k}")
    draws = plan.draws if k < have else 1  # all of them is always the same
    return [frozenset(rng.sample(range(have), min(k, have))) for _ in range(draws)]


def curves(drawn: Sequence[Drawn], verdicts: Verdicts, intervals: Intervals) -> dict[str, list[dict[str, Any]]]:
    """Return {axis: [point]}: the rate over instances of their mean over draws, with a bootstrap over instances.

    A draw whose patch could not be judged is left out; an instance without any other draw counts in `not_judged`. The
    rate of a point is None where no instance was judged. Raises ValueError for a chosen patch without a verdict.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for axis, k in dict.fromkeys((one.axis, one.k) for one in drawn):
        chosen = [one for one in drawn if (one.axis, one.k) == (axis, k)]
        means = [mean for one in chosen if (mean := _mean(one, verdicts)) is not None]
        rate, low, high = intervals.mean(means) if means else (None, None, None)
        point = {"k": k, "instances": len(means), "not_judged": len(chosen) - len(means)}
        found.setdefault(axis, []).append({**point, "rate": rate, "low": low, "high": high})
    return found


def _mean(one: Drawn, verdicts: Verdicts) -> float | None:
    flags = [flag for patch in one.patches if (flag := _verdict(one.instance_id, patch, verdicts)) is not None]
    return sum(flags) / len(flags) if flags else None


def _verdict(instance_id: str, patch: int | None, verdicts: Verdicts) -> bool | None:
    if patch is None:
        return False
    if (instance_id, patch) not in verdicts:
        raise ValueError(f"patch {patch} of {instance_id} is chosen in a subsample and has no verdict")
    return verdicts[instance_id, patch]
