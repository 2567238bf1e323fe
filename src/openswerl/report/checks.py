"""Outcomes can be compared only if every policy answered the same instances the same number of times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openswerl.errors import UserError
from openswerl.evaluate.results.taxonomy import CAUSES
from openswerl.report.labels import parted
from openswerl.report.rows import MINI

if TYPE_CHECKING:
    from openswerl.report.inputs import Evaluation


def check_evaluations(evaluations: Sequence[Evaluation], gate: Sequence[Evaluation], splits: set[str]) -> None:
    """Raise UserError if an evaluation repeats, lacks or adds instances, or contradicts itself."""
    if not evaluations:
        raise UserError("report: the grid has no policy (grid.baselines and grid.reward are empty)")
    for item in [*evaluations, *gate]:
        _check_one(item, splits)
        _check_same(item, evaluations[0])
    first = {_variant(item): item for item in reversed(evaluations)}
    for item in evaluations:
        _check_answers(item, first[_variant(item)])


def _check_one(item: Evaluation, splits: set[str]) -> None:
    unknown = sorted({row.split for row in item.outcomes} - splits)
    if unknown:
        raise UserError(f"{_name(item)}: split {unknown[0]} is not in evaluate.splits ({', '.join(sorted(splits))})")
    if odd := sorted({row.cause for row in item.outcomes} - set(CAUSES)):
        raise UserError(f"{_name(item)}: cause {odd[0]} is unknown; evaluate {item.policy} again")
    if not _instances(item):
        raise UserError(f"{_name(item)} has no greedy answer; evaluate {item.policy} again")
    seen = Counter((row.instance_id, row.decoding, row.sample) for row in item.outcomes)
    twice = [key for key, count in seen.items() if count > 1]
    if twice:
        raise UserError(f"{_name(item)}: {twice[0][0]} ({twice[0][1]}, sample {twice[0][2]}) occurs twice")
    for decoding in ("greedy", "sample", "vote", *MINI):
        counts = Counter(row.instance_id for row in item.outcomes if row.decoding == decoding)
        if len(set(counts.values())) > 1 or (decoding != "sample" and set(counts.values()) - {1}):
            raise UserError(f"{_name(item)}: instances have different numbers of {decoding} answers")


def _check_same(item: Evaluation, first: Evaluation) -> None:
    if {item.sandbox, first.sandbox} - {"bubblewrap", "process"} and item.sandbox != first.sandbox:
        raise UserError(
            f"{_name(item)} ran in {item.sandbox} and {_name(first)} in {first.sandbox}, which one table must not mix; "
            "evaluate both in one"
        )
    mine, other = _instances(item), _instances(first)
    if mine != other:
        odd = sorted(mine ^ other)[0]
        raise UserError(
            f"{_name(item)} and {_name(first)} differ in their greedy instances ({len(mine)} and {len(other)}, "
            f"for example {odd[1]} of split {odd[0]}); evaluate both again on one benchmark"
        )


def _check_answers(item: Evaluation, first: Evaluation) -> None:
    """A patch comes from a well-formed answer, and every decoding covers the same instances."""
    for row in item.outcomes:
        if row.resolved and not row.format_ok:
            raise UserError(f"{_name(item)}: {row.instance_id} is resolved by an answer that is not well formed")
    for decoding in ("sample", "vote"):
        if _instances(item, decoding) not in (set(), _instances(item)):
            raise UserError(f"{_name(item)}: {decoding} answers cover other instances than the greedy ones")
    for decoding in MINI:
        if _instances(item, decoding) != _instances(first, decoding):
            raise UserError(
                f"{_name(item)} and {_name(first)} differ in the instances of {decoding}; evaluate both again"
            )
    if Counter(row.decoding for row in item.outcomes) != Counter(row.decoding for row in first.outcomes):
        raise UserError(f"{_name(item)} and {_name(first)} differ in their number of sampled answers or votes")


def _instances(item: Evaluation, decoding: str = "greedy") -> set[tuple[str, str]]:
    return {(row.split, row.instance_id) for row in item.outcomes if row.decoding == decoding}


def _name(item: Evaluation) -> str:
    return f"evaluate-{item.policy}-seed{item.seed}"


def _variant(item: Evaluation) -> str:
    return parted(item.policy)[1]
