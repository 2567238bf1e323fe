"""The environment gate: before any model is judged, gold patches must resolve and unpatched bases must not."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import Problem
from openswerl.files import read_jsonl

RIGHT = {"gold": ("resolved",), "none": ("unresolved", "timeout")}  # a bug may hang its tests
SHOWN = 5


def gate_candidate(problem: Problem, policy: str) -> Candidate:
    """Return the gold patch, or the empty patch of policy "none", as a greedy candidate."""
    return Candidate("greedy", 0, patch=problem.gold.patch if policy == "gold" else "")


def invalid(rows: Sequence[Mapping[str, Any]], policy: str) -> list[str]:
    """Return the ids of the instances whose environment is wrong."""
    return [row["instance_id"] for row in rows if row["status"] not in RIGHT[policy]]


def check_gate(inputs: Mapping[str, Path], problems: Sequence[Problem]) -> None:
    """Raise UserError naming the instances that fail the gate, or that it did not cover."""
    found = [message for policy in RIGHT for message in _faults(inputs, problems, policy)]
    if found:
        raise UserError(f"the gate failed, so no model is evaluated: {'; '.join(found)}; repair or remove these rows")


def _faults(inputs: Mapping[str, Path], problems: Sequence[Problem], policy: str) -> Iterator[str]:
    rows = read_jsonl(inputs[f"evaluate-{policy}-seed0"] / "outcomes.jsonl")
    missing = sorted({problem.task.instance_id for problem in problems} - {row["instance_id"] for row in rows})
    wrong = [f"{row['instance_id']} ({row['status']})" for row in rows if row["status"] not in RIGHT[policy]]
    if missing:
        yield f"policy={policy} did not run {_some(missing)}"
    if wrong:
        yield f"policy={policy} is not {RIGHT[policy][0]} on {_some(wrong)}"


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{rest}"
