"""The findings on the console, the verdict last."""

from collections.abc import Mapping
from typing import Any

from openswerl.preflight.page import between, budget_rows, number

MARKS = {True: "ok", False: "NO", None: "??"}
SHARES = {
    "malformed": "malformed",
    "unfinished": "cut off",
    "unanswered": "not answered or not scored",
    "zero_variance": "groups without a signal",
}


def tell(found: Mapping[str, Any]) -> None:
    """Print what preflight.json says, in short."""
    for check in found["checks"]:
        _line(MARKS[check.passed], f"{check.name}: {check.detail}")
    for one in found["repeated"]:
        _line("--", f"repeats itself, {one}")
    rewards = found["numbers"]
    mean, deviation = number(rewards["reward_mean"]), number(rewards["reward_std"])
    _line("--", f"mean reward {mean} ({between(rewards['reward_interval'])}), standard deviation {deviation}")
    _line("--", "; ".join(f"{label} {rewards[key]['k']} of {rewards[key]['n']}" for key, label in SHARES.items()))
    for row in found["causes"]:
        _line("--", f"{row['count']} x {row['cause']}: {row['advice']}")
    _line("--", f"the whole run: {'; '.join(f'{label} {value}' for label, value in budget_rows(found['budget']))}")
    if found["trial"]:
        _line("--", str(found["trial"]))
    print(f"preflight: {found['verdict']}", flush=True)


def _line(mark: str, text: str) -> None:
    print(f"  {mark}  {text}")
