"""From evidence to what is submitted: every instance has a candidate for every way to choose."""

from collections import Counter

from openswerl.evaluate.mini.evidence import Evidence
from openswerl.evaluate.oracle.repair import Candidate, Decoding
from openswerl.rollout import FAULTS

WAYS: dict[str, Decoding] = {
    "all": "mini",
    "majority": "mini-majority",
    "regression": "mini-regression",
    "reproduction": "mini-reproduction",
}


def submitted(evidence: Evidence) -> list[Candidate]:
    """Return one candidate for each way to choose, the complete one first.

    Where no sample has a patch, the patch is empty and the reason the most frequent one, ties to the first; that no
    answer came is the reason only if none came.
    """
    chosen = {way: getattr(evidence.chosen, way) for way in WAYS}
    return [_candidate(evidence, WAYS[way], sample) for way, sample in chosen.items()]


def _candidate(evidence: Evidence, decoding: Decoding, sample: int | None) -> Candidate:
    number = None if sample is None else evidence.samples[sample]
    if sample is None or number is None:
        answered = [reason for reason in evidence.reasons if reason not in FAULTS] or evidence.reasons
        reason = Counter(answered).most_common(1)[0][0] if answered else "not_localised"
        return Candidate(decoding, 0, reason=None if reason == "empty_patch" else reason)
    patch = evidence.patches[number]
    return Candidate(decoding, sample, "", patch.patch, patch.key, None, patch.refused)
