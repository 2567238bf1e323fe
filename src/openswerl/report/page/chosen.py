"""Which instances the explorer shows: the same ones for all policies, so that every cause of failure occurs."""

from collections.abc import Mapping, Sequence

from openswerl.report.inputs import Evaluation


def choose(evaluations: Sequence[Evaluation], splits: Sequence[str], count: int) -> list[str]:
    """Return up to `count` ids, sorted, of instances on which as many causes as possible occur.

    Each next instance is the one that adds most causes to those chosen; of several, the one that adds most to what is
    shown of each policy, then the first split's, then the first id. Once nothing is added, all counts anew.
    """
    causes = {name: found for split in splits for name, found in _causes(evaluations, split).items()}
    rest, chosen, seen = list(causes), list[str](), set[tuple[str, str]]()
    while rest and len(chosen) < count:
        if not any(causes[name] - seen for name in rest):
            seen = set()
        best = max(rest, key=lambda name: _added(causes[name], seen))
        seen |= causes[best]
        rest.remove(best)
        chosen.append(best)
    return sorted(chosen)


def _added(causes: set[tuple[str, str]], seen: set[tuple[str, str]]) -> tuple[int, int]:
    kinds = {cause for _, cause in causes} - {cause for _, cause in seen}
    return len(kinds), len(causes - seen)


def _causes(evaluations: Sequence[Evaluation], split: str) -> Mapping[str, set[tuple[str, str]]]:
    """Return {instance: policies with the causes of their greedy answers}, in order of id."""
    found: dict[str, set[tuple[str, str]]] = {}
    for item in evaluations:
        for row in item.select("greedy", split):
            found.setdefault(row.instance_id, set()).add((item.policy, row.cause))
    return dict(sorted(found.items()))
