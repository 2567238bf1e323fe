"""From a candidate and its execution to a verdict; what has no patch to run is settled here."""

from pathlib import Path

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import Verdict, grade, refusal
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import GoldView
from openswerl.rollout import FAULTS


def judge(gold: GoldView, candidate: Candidate, execution: Execution | None, log: Path) -> Verdict:
    """Return the verdict; `execution` is None where the candidate was not to be run."""
    if candidate.reason in FAULTS:
        return Verdict("error", candidate.reason)
    if not candidate.format_ok:
        return Verdict("format_error", candidate.reason)
    if candidate.refused:
        return Verdict("unresolved", candidate.refused, refusal(gold.instance_id, candidate.refused))
    if execution is None:
        return Verdict("empty_patch")
    return grade(gold, candidate.patch, execution, log)
