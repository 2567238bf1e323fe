"""Choose one of several samples by majority (paper appendix B, Table 2)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from openswerl.edits import normalised_key
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.rollout import FAULTS

NO_EDIT = normalised_key({}, {})


def vote(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the majority of the sampled candidates as one candidate; none if nothing was sampled."""
    samples = [candidate for candidate in candidates if candidate.decoding == "sample"]
    return [replace(majority(samples), decoding="vote")] if samples else []


def majority(samples: Sequence[Candidate]) -> Candidate:
    """Return the earliest sample of the most frequent normalised patch; ties go to the patch that occurs first.

    Samples that were never answered and badly formed ones are filtered first, then those that change nothing but
    comments or white space. A filter that leaves none is not applied. Raises ValueError if there is no sample.
    """
    answered = [sample for sample in samples if sample.reason not in FAULTS] or list(samples)
    pool = [sample for sample in answered if sample.format_ok] or answered
    pool = [sample for sample in pool if sample.patch and sample.key != NO_EDIT] or pool
    votes = Counter(sample.key for sample in pool)
    return max(pool, key=lambda sample: votes[sample.key])
