"""The paper's numbers (arXiv 2502.18449 v2), read from paper.yaml; no error bars are printed there.

SWE-bench Verified, n = INSTANCES, but for Table 3. `interval` is our arithmetic, not the paper's.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from openswerl.statistics import Interval, wilson

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Count = Annotated[int, msgspec.Meta(gt=0)]
FILE = Path(__file__).with_name("paper.yaml")


class Printed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of paper.yaml; a key that is not there is an error."""


class PaperRow(Printed, frozen=True):
    """Table 2 and Figure 5: correct format and repair (resolved) in percent, oracle files given."""

    policy: str
    decoding: str
    model: str
    format: Percent
    resolved: Percent
    source: str


class System(Printed, frozen=True):
    """A row of Table 1, resolved in percent; `policy` is our counterpart, if we have one.

    `whole`: the rate stands for a whole number of INSTANCES.
    """

    group: str
    model: str
    scaffold: str
    resolved: Percent
    policy: str | None = None
    whole: bool = True


class Systems(Printed, frozen=True):
    """Table 1; `groups` maps the short name of each of its two parts to the printed one."""

    source: str
    groups: dict[str, str]
    rows: list[System]


class Scaling(Printed, frozen=True):
    """Figure 4: resolved in percent, by number of samples."""

    source: str
    policy: str
    repair: dict[Count, Percent]
    tests: dict[Count, Percent]


class OutOfDomain(Printed, frozen=True):
    """Table 3: {suite: {policy: pass@1 in percent}}."""

    source: str
    suites: dict[str, dict[str, Percent]]


class Left(Printed, frozen=True):
    """Pull requests left after a stage of the data."""

    stage: str
    pull_requests: Count
    source: str


class Numbers(Printed, frozen=True):
    """All of paper.yaml."""

    instances: Count
    base: str
    systems: Systems
    repair: list[PaperRow]
    scaling: Scaling
    out_of_domain: OutOfDomain
    funnel: list[Left]


@dataclass(frozen=True)
class PaperMini:
    """Resolved by Agentless Mini in percent: 500 repair samples, 30 reproduction tests, one patch submitted."""

    model: str
    resolved: float
    source: str


def read(path: Path = FILE) -> Numbers:
    """Return the numbers. Raises msgspec.ValidationError if a key is missing, unknown, or out of its range."""
    return msgspec.yaml.decode(path.read_bytes(), type=Numbers, strict=False)


def solved(percent: float, instances: int) -> int:
    """Return the number of instances that a printed percentage stands for."""
    return round(percent * instances / 100)


def interval(percent: float, instances: int, confidence: float) -> Interval:
    """Return the Wilson interval of a printed percentage of `instances`; the paper prints none."""
    return wilson(solved(percent, instances), instances, confidence)


NUMBERS = read()
INSTANCES = NUMBERS.instances
REPAIR = {(row.policy, row.decoding): row for row in NUMBERS.repair}
"""Table 2 and Figure 5 by policy and decoding."""
ROWS = {row.policy: row for row in NUMBERS.repair if row.decoding == "greedy"}
"""The paper's counterpart of each policy, greedy decoding."""
BASE_VOTE = REPAIR["base", "vote"]
FUNNEL = {row.stage: row.pull_requests for row in NUMBERS.funnel}
"""Pull requests after each stage of the paper's data."""
MINI = {
    row.policy: PaperMini(row.model, row.resolved, NUMBERS.systems.source)
    for row in NUMBERS.systems.rows
    if row.policy is not None
}
"""Agentless Mini, the policies of which the paper prints a number."""
SCALING = {"repair": NUMBERS.scaling.repair, "tests": NUMBERS.scaling.tests}
"""Figure 4, the axes: {number of samples: resolved in percent}."""
OOD = NUMBERS.out_of_domain.suites
"""Table 3, in the order of the suites there."""
OOD_POLICIES = tuple(next(iter(OOD.values())))
