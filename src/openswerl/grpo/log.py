"""What a run leaves behind, step by step. The main process writes it."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from omegaconf import DictConfig

from openswerl.grpo.alarms import Recorder
from openswerl.grpo.metrics import rollout_metrics
from openswerl.grpo.plots import draw_rewards, shown
from openswerl.grpo.rollouts import Rollout
from openswerl.grpo.timings import memory_mb
from openswerl.records import Instance
from openswerl.tracking.journal import Journal, Tracker
from openswerl.tracking.mirror import Mirror

SELECTED = ("reward_mean", "reward_std", "format_rate", "exact_rate")
FILES = ("metrics.jsonl", "rollouts.jsonl", "samples.jsonl", "alarms.jsonl", "timings.jsonl")


class Log:
    """The journals of a run in `folder`, from a step on; equal for equal runs, except timings.jsonl."""

    def __init__(
        self, cfg: DictConfig, folder: Path, instances: Sequence[Instance], mirror: Mirror, *, from_step: int = 0
    ) -> None:
        self.grpo, self.folder, self.mirror = cfg.grpo, folder, mirror
        self.instances = {instance.instance_id: instance for instance in instances}
        self.metrics = Tracker(folder / "metrics.jsonl", from_step=from_step)
        self.rollouts, self.samples, self.timings = (
            Journal(folder / f"{name}.jsonl", from_step=from_step) for name in ("rollouts", "samples", "timings")
        )
        self.alarms = Recorder(cfg.grpo.alarms, folder / "alarms.jsonl", self.metrics.rows, from_step=from_step)
        self.first, self.start = from_step, time.monotonic()

    def step(
        self, step: int, rows: Sequence[Rollout], updated: Mapping[str, Any], seconds: Mapping[str, float]
    ) -> None:
        """Record one step: its samples, the metrics of its update, and the seconds of its phases.

        The metrics of the samples are those of the prompts as first drawn: which were replaced depends on the rewards.
        """
        self.rollouts.add(msgspec.to_builtins(row) for row in rows)
        first = [row for row in rows if row.attempt == 0]
        chosen = {"selected": selected_metrics(rows)} if self.grpo.zero_variance == "resample" else {}
        self.metrics.log(step, {**rollout_metrics(first), **chosen, **updated})
        row = self.metrics.rows[-1]
        timings = {
            "seconds": seconds,
            "tokens_per_s": speeds(sum(one.tokens for one in rows), row["forwarded_tokens"], seconds),
            **memory_mb(),
        }
        self.timings.add([{"step": step, **timings}])
        self.mirror.log({**row, **timings})
        if (step + 1) % self.grpo.plot_every == 0 or step + 1 == self.grpo.steps:
            self._show(step, first)
        print(self._line(row), flush=True)
        for name, text in self.alarms.watch(row).items():
            self.mirror.alert(step, name, text)

    def _show(self, step: int, rows: Sequence[Rollout]) -> None:
        samples, plot = shown(rows, self.instances), self.folder / "plots" / f"rewards-{step + 1:06d}.png"
        self.samples.add(samples)
        draw_rewards(self.metrics.rows, plot)
        self.mirror.picture(step, "rewards", plot)
        self.mirror.table(step, "samples", samples)

    def _line(self, row: Mapping[str, Any]) -> str:
        done, steps = row["step"] + 1, self.grpo.steps
        each = (time.monotonic() - self.start) / (done - self.first)
        measured = [(name, row[name]) for name in ("entropy", "kl")]
        measured += [("unanswered", row["unanswered_rate"] or None)]
        known = "".join(f"{name} {value:.4f} " for name, value in measured if value is not None)
        return (
            f"grpo {done}/{steps} reward {row['reward_mean']:+.3f} ±{row['reward_std']:.2f} "
            f"format {row['format_rate']:.2f} exact {row['exact_rate']:.2f} {known}"
            f"tokens {row['response_tokens']:.0f} gradient {row['grad_norm']:.3g} | "
            f"{each:.2f} s a step, {clock_time(each * (steps - done))} left"
        )


def selected_metrics(rows: Sequence[Rollout]) -> dict[str, Any]:
    """Return what is watched of the samples that are trained on, the last attempt of each place."""
    last = {row.place: row.attempt for row in sorted(rows, key=lambda row: row.attempt)}
    metrics = rollout_metrics([row for row in rows if row.attempt == last[row.place]])
    return {name: metrics[name] for name in SELECTED}


def speeds(drawn: int, forwarded: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """Return tokens of all processes per second of the main one: answers where they are made, else whole rows."""
    tokens = {"generate": drawn, "score": drawn, "forward": forwarded, "backward": forwarded}
    return {name: tokens[name] / seconds[name] for name in tokens if seconds.get(name)}


def clock_time(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{second:02d}"
