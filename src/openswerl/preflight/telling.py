"""The findings on the console, the verdict last."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig

from openswerl.preflight.page import answers_of, between, budget_rows, number
from openswerl.preflight.sampling import Look
from openswerl.preflight.verdict import nearness

EXCERPT = 80
MARKS = {True: "ok", False: "NO", None: "??"}
SHARES = {
    "malformed": "malformed",
    "unfinished": "cut off",
    "unanswered": "not answered or not scored",
    "zero_variance": "groups without a signal",
}


def tell(found: Mapping[str, Any], look: Look, rules: DictConfig) -> None:
    """Print what preflight.json says, in short, and the reward of each sample."""
    for check in found["checks"]:
        _line(MARKS[check.passed], f"{check.name}: {check.detail}")
    for one in found["repeated"]:
        _line("--", f"repeats itself, {one}")
    for row in answers_of([*look.greedy, *look.sampled]):
        _line("--", f"rewards of {row['name']}, the greedy one first: {', '.join(row['rewards'])}")
    rewards = found["numbers"]
    mean, deviation = number(rewards["reward_mean"]), number(rewards["reward_std"])
    _line("--", f"mean reward {mean} ({between(rewards['reward_interval'])}), standard deviation {deviation}")
    _line("--", "; ".join(f"{label} {rewards[key]['k']} of {rewards[key]['n']}" for key, label in SHARES.items()))
    kinds = Counter(nearness(sample, rules) for sample in look.sampled).most_common()
    _line("--", "sampled answers: " + "; ".join(f"{kind} {count}" for kind, count in kinds))
    for row in found["causes"]:
        shown = f", such as {row['excerpt'][:EXCERPT]!r}" if row["excerpt"] else ""
        _line("--", f"{row['count']} x {row['cause']}: {row['advice']}{shown}")
    _line("--", f"the whole run: {'; '.join(f'{label} {value}' for label, value in budget_rows(found['budget']))}")
    if found["trial"]:
        _line("--", str(found["trial"]))
    print(f"preflight: {found['verdict']}", flush=True)


def _line(mark: str, text: str) -> None:
    print(f"  {mark}  {text}")
