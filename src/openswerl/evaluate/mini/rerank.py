"""Step 6: choose one sample by its tests and by votes (paper appendix B). Pure functions on what the steps found."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from openswerl.evaluate.mini.evidence import Chosen, Patch
from openswerl.evaluate.oracle.vote import NO_EDIT

MISSING = 10_000  # failures of a patch without a result


class Stages(NamedTuple):
    """Which filters come before the vote."""

    regression: bool = True
    reproduction: bool = True


class Pool(NamedTuple):
    """The samples of an instance that have a patch, by number, and the patches."""

    samples: Sequence[int | None]
    patches: Sequence[Patch]

    def patch(self, sample: int) -> Patch:
        """Return a sample's patch."""
        number = self.samples[sample]
        assert number is not None
        return self.patches[number]


def choose(
    samples: Sequence[int | None],
    patches: Sequence[Patch],
    stages: Stages = Stages(),  # noqa: B008 - a constant
    among: Collection[int] | None = None,
    tests: Collection[int] | None = None,
) -> int | None:
    """Return the number of the chosen sample; None where none has a patch.

    `samples` and `patches` as in `evidence.Evidence`. `among` limits the samples that take part, and `tests` the
    reproduction tests that count: numbers, so that curves can be drawn from one run. Edits of comments alone take part
    only if there is nothing else. The patches with the fewest regression failures stay; then the best consensus group;
    then the most frequent patch wins, by its earliest sample, and of equals the one that occurs first.
    """
    pool = Pool(samples, patches)
    left = [k for k in range(len(samples)) if samples[k] is not None and (among is None or k in among)]
    left = [k for k in left if pool.patch(k).key != NO_EDIT] or left
    if stages.regression:
        left = fewest_failures(pool, left)
    if stages.reproduction:
        left = consensus(pool, left, tests)
    votes = Counter(samples[k] for k in left)
    return max(left, key=lambda k: votes[samples[k]], default=None)  # of equals, max takes the first


def choices(samples: Sequence[int | None], patches: Sequence[Patch], stages: Stages) -> Chosen:
    """Return the choice under the configured stages, and those of the vote alone and of one filter and the vote."""
    return Chosen(
        all=choose(samples, patches, stages),
        majority=choose(samples, patches, Stages(False, False)),
        regression=choose(samples, patches, Stages(True, False)),
        reproduction=choose(samples, patches, Stages(False, True)),
    )


def fewest_failures(pool: Pool, left: Sequence[int]) -> list[int]:
    """Keep the samples whose patches fail the fewest regression tests; one without a result counts as 10,000."""
    failures = [_failures(pool.patch(k)) for k in left]
    fewest = min(failures, default=0)
    return [k for k, count in zip(left, failures, strict=True) if count == fewest]


def consensus(pool: Pool, left: Sequence[int], tests: Collection[int] | None = None) -> list[int]:
    """Keep the group of samples with the highest score |samples| x |tests passed|^2; all where no test passes.

    A group passes the same tests. Samples are counted, not different patches: as in a vote, what is written often
    counts more. Of equal groups the one with the earliest sample stays.
    """
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for k in left:
        groups[_passed(pool.patch(k), tests)].append(k)
    best = max(groups, key=lambda passed: len(groups[passed]) * len(passed) ** 2, default=())
    return groups[best] if best else list(left)


def _failures(patch: Patch) -> int:
    return MISSING if patch.regression_failures is None else patch.regression_failures


def _passed(patch: Patch, tests: Collection[int] | None) -> tuple[int, ...]:
    numbers = range(len(patch.passed or ())) if tests is None else sorted(tests)
    return tuple(k for k in numbers if patch.passed and patch.passed[k])
