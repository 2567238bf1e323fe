"""What `result.json` of the evaluate stage says beside its rates, type-checked as it is read.

`openswerl.evaluate.results` writes it, and documents the numbers.
"""

import msgspec


class Group(msgspec.Struct, frozen=True):
    """Resolve rate of one group of instances: over the judged ones; None where none was judged."""

    group: str
    instances: int
    not_judged: int
    resolved_rate: float | None
    resolved_low: float | None
    resolved_high: float | None


class Point(msgspec.Struct, frozen=True):
    """Resolve rate with `k` repair samples, or `k` reproduction tests."""

    k: int
    instances: int
    not_judged: int
    rate: float | None
    low: float | None
    high: float | None


class Recall(msgspec.Struct, frozen=True):
    """Share of the oracle files among the first `k` that localisation names, and of `k` files drawn at random."""

    k: int
    recall: float
    low: float
    high: float
    random: float


class Share(msgspec.Struct, frozen=True):
    """A share of instances."""

    rate: float
    low: float
    high: float


class Localisation(msgspec.Struct, frozen=True):
    """`any` is the share of instances of which some sample names every oracle file."""

    instances: int
    without_oracle: int
    shown: float
    at: list[Recall]
    any: Share


class Tests(msgspec.Struct, frozen=True):
    """`rate` of instances keep a reproduction test; `kept` tests an instance; for `unanswered` no program came."""

    instances: int
    rate: float | None
    low: float | None
    high: float | None
    kept: float
    unanswered: int = 0


class Regression(msgspec.Struct, frozen=True):
    """`instances` keep a regression test; `tests` are kept an instance."""

    instances: int
    tests: float


class Repair(msgspec.Struct, frozen=True):
    """Samples and distinct patches an instance; how many samples were never answered."""

    samples: float
    distinct: float
    unanswered: int


class MiniSplit(msgspec.Struct, frozen=True):
    """Agentless Mini on one split."""

    instances: int
    localisation: Localisation | None
    tests: Tests
    regression: Regression
    repair: Repair
    scaling: dict[str, list[Point]] = {}
    pass_at_k: dict[str, float] | None = None


class Mini(msgspec.Struct, frozen=True):
    """Agentless Mini under one policy; all its intervals have this `confidence`."""

    selection: str
    confidence: float
    splits: dict[str, MiniSplit]


Breakdown = dict[str, dict[str, dict[str, list[Group]]]]


class Evaluated(msgspec.Struct, frozen=True):
    """The parts of the result that the report shows."""

    sandbox: str | None = None
    backend: str = "laptop"
    mini: Mini | None = None
    breakdown: Breakdown = {}
