"""A flight recorder: states of a run that mean trouble, each with its likely cause, in alarms.jsonl and on stderr."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from openswerl.tracking.journal import Journal

Row = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """A state of a step's metrics. It raises an alarm once it has lasted `grpo.alarms.patience` steps, or at once."""

    holds: Callable[[Row, DictConfig], bool]
    message: str
    at_once: bool = False


STATES = {
    "no_format": State(
        lambda row, _: row["format_rate"] == 0 and row["unfinished_rate"] < 1,
        "no answer is well formed ({reasons}): the base cannot write the form that the prompt asks for, or "
        "model.prompt and prompt do not suit it; look at samples.jsonl, train sft first",
    ),
    "flat_reward": State(
        lambda row, _: row["reward_std"] == 0 and row["format_rate"] > 0,
        "all rewards are {reward_mean:.3g}: the tasks are all solved or all hopeless, or grpo.temperature is too low",
    ),
    "no_signal": State(
        lambda row, _: row["zero_variance"] == 1 and row["reward_std"] > 0,
        "the samples of every prompt earn the same: the policy has become deterministic, or grpo.group_size is too "
        "small; try grpo.zero_variance=resample",
    ),
    "nonfinite": State(
        lambda row, _: row["nonfinite"] > 0,
        "loss or gradient is not finite, the update is left out: grpo.optimiser.lr is too high, or grpo.ratio=sequence "
        "overflows on long answers",
        at_once=True,
    ),
    "kl": State(
        lambda row, limits: row["kl"] is not None and row["kl"] > limits.max_kl,
        "the policy is {kl:.3g} nats per token from the reference: grpo.optimiser.lr is too high or "
        "grpo.kl_coefficient too low",
        at_once=True,
    ),
    "entropy": State(
        lambda row, limits: row["entropy"] is not None and row["entropy"] < limits.min_entropy,
        "entropy is down to {entropy:.3g} nats per token, so groups hold one answer: lower grpo.optimiser.lr, raise "
        "grpo.clip_high or grpo.kl_coefficient",
    ),
    "sampler_gap": State(
        lambda row, limits: row.get("sampler_gap") is not None and row["sampler_gap"] > limits.max_sampler_gap,
        "sampler and trainer differ by {sampler_gap:.3g} nats per token: the samples are of other weights, another "
        "temperature or another number format; rollout.stale=correct weighs them",
    ),
    "unanswered": State(
        lambda row, _: row["unanswered_rate"] == 1,
        "no sample was answered ({reasons}): nothing is learnt from this step",
        at_once=True,
    ),
    "truncated": State(
        lambda row, limits: row["unfinished_rate"] > limits.max_truncated,
        "{unfinished_rate:.0%} of the answers hit model.max_response_tokens: raise it, or the policy has lost its end "
        "(a constant learning rate, grpo.truncated=mask)",
    ),
}


class Recorder:
    """Watches metrics row by row; an alarm sounds once, and again when its state has ended and come back."""

    def __init__(self, limits: DictConfig, path: Path, before: Iterable[Row] = (), *, from_step: int = 0) -> None:
        self.limits, self.journal = limits, Journal(path, from_step=from_step)
        self.lasting = dict.fromkeys(STATES, 0)
        for row in before:
            self._raised(row)

    def watch(self, row: Row) -> dict[str, str]:
        """Record and print the alarms that this row raises; returns {name: message}."""
        texts = {name: STATES[name].message.format(**row) for name in self._raised(row)}
        self.journal.add({"step": row["step"], "alarm": name, "message": text} for name, text in texts.items())
        for name, text in texts.items():
            print(f"grpo: alarm {name} at step {row['step'] + 1}: {text}", file=sys.stderr, flush=True)
        return texts

    def _raised(self, row: Row) -> list[str]:
        for name, state in STATES.items():
            self.lasting[name] = self.lasting[name] + 1 if state.holds(row, self.limits) else 0
        return [name for name, state in STATES.items() if self.lasting[name] == self._patience(state)]

    def _patience(self, state: State) -> int:
        return 1 if state.at_once else int(self.limits.patience)
