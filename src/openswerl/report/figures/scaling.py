"""Resolve rate over repair samples and over reproduction tests, the numbers of Figure 4: one curve a policy."""

from collections.abc import Sequence
from typing import NamedTuple

from openswerl.report.evaluated import Point
from openswerl.report.inputs import Evaluation

AXES = ("repair", "tests")


class Place(NamedTuple):
    """A point of a curve in percent: means over seeds of the rate and of the ends of its interval.

    `seeds` are the rates of each seed, empty if there is one.
    """

    k: int
    rate: float
    low: float
    high: float
    seeds: list[float]


class Curve(NamedTuple):
    """The points of one policy; `instances` are the fewest and most behind one."""

    policy: str
    points: list[Place]
    instances: tuple[int, int]


def curves(evaluations: Sequence[Evaluation], split: str, axis: str) -> list[Curve]:
    """Return the curve of each policy that has one, over its seeds, its points in order of k."""
    seeds: dict[str, list[Point]] = {}
    for item in evaluations:
        own = item.mini.splits.get(split) if item.mini else None
        points = [point for point in (own.scaling.get(axis, []) if own else []) if point.rate is not None]
        if points:
            seeds.setdefault(item.policy, []).extend(points)
    return [_curve(policy, points) for policy, points in seeds.items()]


def _curve(policy: str, points: Sequence[Point]) -> Curve:
    by_size: dict[int, list[Point]] = {}
    for point in sorted(points, key=lambda point: point.k):
        by_size.setdefault(point.k, []).append(point)
    judged = [point.instances for point in points]
    return Curve(policy, [_place(k, found) for k, found in by_size.items()], (min(judged), max(judged)))


def _place(k: int, points: Sequence[Point]) -> Place:
    rates, lows, highs = ([100.0 * (getattr(point, end) or 0) for point in points] for end in ("rate", "low", "high"))
    return Place(k, _mean(rates), _mean(lows), _mean(highs), rates if len(points) > 1 else [])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
