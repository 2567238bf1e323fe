"""The environment gate: before any model is judged, gold patches must resolve and unpatched bases must not."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from openswerl.errors import UserError
from openswerl.evaluate.execution.actions import Grading
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.harness.grade import Verdict, grade
from openswerl.evaluate.harness.rows import TESTS, test_names
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import Problem
from openswerl.files import read_jsonl

RIGHT = {"gold": ("resolved",), "none": ("unresolved", "timeout")}  # a bug may hang its tests
SHOWN = 5
FILE = "gate.jsonl"


def gate_candidate(problem: Problem, policy: str) -> Candidate:
    """Return the gold patch, or the empty patch of policy "none", as a greedy candidate."""
    return Candidate("greedy", 0, patch=problem.gold.patch if policy == "gold" else "")


def check_gate(inputs: Mapping[str, Path], problems: Sequence[Problem], most: float) -> set[str]:
    """Return the ids of the instances that fail the gate, by the gate.jsonl of its two policies.

    Raises UserError if they are more than the share `most`, if they are all, or if the gate did not cover some.
    """
    names = {problem.task.instance_id for problem in problems}
    found = {policy: _read(inputs[f"evaluate-{policy}-seed0"] / FILE, policy, names) for policy in RIGHT}
    wrong = {name for reasons in found.values() for name in reasons}
    if wrong and (len(wrong) > most * len(names) or len(wrong) == len(names)):
        told = "; ".join(f"policy={policy}: {_some(reasons)}" for policy, reasons in found.items() if reasons)
        raise UserError(f"the gate failed, so no model is evaluated: {told}; repair or remove these rows")
    return wrong


def _read(path: Path, policy: str, names: set[str]) -> dict[str, str]:
    """Return the reason of each instance that fails under a policy of the gate."""
    rows = {row["instance_id"]: row["reason"] for row in read_jsonl(path)}
    if missing := sorted(names - rows.keys()):
        raise UserError(f"the gate is not complete: policy={policy} did not run {_some(dict.fromkeys(missing, ''))}")
    return {name: reason for name, reason in rows.items() if reason and name in names}


def _some(reasons: Mapping[str, str]) -> str:
    named = [f"{name} ({reason})" if reason else name for name, reason in list(reasons.items())[:SHOWN]]
    rest = f" and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
    return f"{', '.join(named)}{rest}"


class GateRun(NamedTuple):
    """One run of the gate: what became of a patch's tests, and what is wrong with that, None if nothing is.

    `passed` counts the tests of FAIL_TO_PASS and of PASS_TO_PASS that pass.
    """

    policy: str
    attempt: int
    status: str
    passed: tuple[int, int]
    fault: str | None


def gate(
    problems: Iterable[Problem], backend: Cached, repeats: int, policies: Sequence[str] = tuple(RIGHT)
) -> Iterator[dict[str, Any]]:
    """Yield {instance_id, valid, reason, runs} for every instance; each policy runs `repeats` times.

    An instance is valid if in every run the unpatched base fails all of FAIL_TO_PASS and passes all of PASS_TO_PASS (or
    hangs, as a bug may), and the gold patch resolves. `reason` is None, the fault of its runs, or "flaky" where they
    differ: gold_<status>, base_passes_f2p, base_fails_p2p, base_<status>, infrastructure. Other instances are
    `env_invalid`, to be listed apart: they say nothing about a model.
    """
    for problem in problems:
        runs = [_gate_run(problem, backend, policy, attempt) for policy in policies for attempt in range(repeats)]
        reason = _reason([{run.fault for run in runs if run.policy == policy} for policy in policies])
        yield {
            "instance_id": problem.task.instance_id,
            "valid": reason is None,
            "reason": reason,
            "runs": [run._asdict() for run in runs],
        }


def _reason(faults: Sequence[set[str | None]]) -> str | None:
    """Return what is wrong with an instance, from what was wrong in the runs of each policy."""
    for found in faults:
        if len(found) > 1:
            return "flaky"
        if found != {None}:
            return next(iter(found))
    return None


def _gate_run(problem: Problem, backend: Cached, policy: str, attempt: int) -> GateRun:
    patch = gate_candidate(problem, policy).patch
    execution = backend.run(problem.task, patch, Grading(problem.gold), attempt)
    with tempfile.TemporaryDirectory(prefix="openswerl-gate-") as scratch:
        verdict = grade(problem.gold, patch, execution, Path(scratch, "test_output.txt"))
    passed = _passed(problem, verdict)
    return GateRun(policy, attempt, verdict.status, passed, _fault(problem, policy, verdict.status, passed))


def _passed(problem: Problem, verdict: Verdict) -> tuple[int, int]:
    tests = (verdict.report or {}).get(problem.gold.instance_id, {}).get("tests_status", {})
    fail_to_pass, pass_to_pass = (len(tests[key]["success"]) if key in tests else 0 for key in TESTS)
    return fail_to_pass, pass_to_pass


def _fault(problem: Problem, policy: str, status: str, passed: tuple[int, int]) -> str | None:
    if status == "infrastructure":
        return status
    if policy == "gold":
        return None if status in RIGHT[policy] else f"gold_{status}"
    if status == "timeout":
        return None
    if passed[0]:
        return "base_passes_f2p"
    if status not in RIGHT[policy]:
        return f"base_{status}"
    return "base_fails_p2p" if passed[1] < len(test_names(problem.gold.row["PASS_TO_PASS"])) else None
