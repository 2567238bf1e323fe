"""What Agentless Mini leaves behind of each instance: enough to draw curves over samples and tests without running."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec


class Patch(msgspec.Struct, frozen=True):
    """One distinct patch: samples whose files are alike after normalisation share it; the text is the earliest's.

    `refused`: why it is never run, None if it may be. `regression_failures`: how many regression tests do not pass
    with it, None where there is no result. `passed`: one flag a kept reproduction test, whether it says that the
    issue is resolved; None where the patch was not run.
    """

    patch: str
    key: str
    refused: str | None
    regression_failures: int | None
    passed: list[bool] | None


class KeptTest(msgspec.Struct, frozen=True):
    """A reproduction test that shows the issue on the base, and how many samples wrote it."""

    source: str
    count: int


class Chosen(msgspec.Struct, frozen=True):
    """The number of the chosen repair sample, None where no sample has a patch; under fewer stages, as an ablation.

    `majority` votes alone; `regression` and `reproduction` have that filter alone before the vote.
    """

    all: int | None
    majority: int | None
    regression: int | None
    reproduction: int | None


class Evidence(msgspec.Struct, frozen=True):
    """One line of mini/evidence.jsonl, in the order of the benchmark. Holds no gold data.

    files: per localisation sample that was answered, the files that it names, most likely first.
    samples: per repair sample, the number of its patch in `patches`; None where it has none.
    reasons: per repair sample, why it has no patch; None where it has one.
    patches: by their earliest sample. tests: the most frequent first. regression_tests: how many are kept.
    selection: where the regression tests are from: honest, or paper_compat, which looks at the test patch's file names.
    counts: what was lost on the way, by name; see README.md.
    """

    instance_id: str
    split: str
    files: list[list[str]]
    samples: list[int | None]
    reasons: list[str | None]
    patches: list[Patch]
    tests: list[KeptTest]
    regression_tests: int
    chosen: Chosen
    counts: dict[str, int]
    selection: str = "honest"


def read_evidence(path: Path) -> Iterator[Evidence]:
    """Yield the rows of an evidence.jsonl one by one."""
    with path.open("rb") as file:
        for line in file:
            yield msgspec.convert(json.loads(line), Evidence)  # ASCII with escapes that UTF-8 cannot hold
