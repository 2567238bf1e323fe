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
from openswerl.tracking import Journal, Mirror, Tracker

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
        """Record one step: its samples, the metrics of its update, and the seconds of its phases."""
        self.rollouts.add(msgspec.to_builtins(row) for row in rows)
        self.metrics.log(step, {**rollout_metrics(rows), **updated})
        row = self.metrics.rows[-1]
        timings = {"seconds": seconds, "tokens_per_s": speeds(row, len(rows), seconds), **memory_mb()}
        self.timings.add([{"step": step, **timings}])
        self.mirror.log({**row, **timings})
        if (step + 1) % self.grpo.plot_every == 0 or step + 1 == self.grpo.steps:
            self._show(step, rows)
        print(self._line(row), flush=True)
        self.alarms.watch(row)

    def _show(self, step: int, rows: Sequence[Rollout]) -> None:
        samples, plot = shown(rows, self.instances), self.folder / "plots" / f"rewards-{step + 1:06d}.png"
        self.samples.add(samples)
        draw_rewards(self.metrics.rows, plot)
        self.mirror.show(step, plot, samples)

    def _line(self, row: Mapping[str, Any]) -> str:
        done, steps = row["step"] + 1, self.grpo.steps
        each = (time.monotonic() - self.start) / (done - self.first)
        entropy = "" if row["entropy"] is None else f"entropy {row['entropy']:.3f} "
        return (
            f"grpo {done}/{steps} reward {row['reward_mean']:+.3f} ±{row['reward_std']:.2f} "
            f"format {row['format_rate']:.2f} exact {row['exact_rate']:.2f} {entropy}kl {row['kl']:.4f} "
            f"tokens {row['response_tokens']:.0f} gradient {row['grad_norm']:.3g} | "
            f"{each:.2f} s a step, {clock_time(each * (steps - done))} left"
        )


def speeds(row: Mapping[str, Any], samples: int, seconds: Mapping[str, float]) -> dict[str, float]:
    """Return tokens of all processes per second of the main one: answers where they are made, else whole rows."""
    drawn, forwarded = row["response_tokens"] * samples, row["forwarded_tokens"]
    tokens = {"generate": drawn, "score": drawn, "forward": forwarded, "backward": forwarded}
    return {name: tokens[name] / seconds[name] for name in tokens if seconds.get(name)}


def clock_time(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{second:02d}"
