"""Train for some steps with the chosen settings, and say what the curves say."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import torch
from omegaconf import DictConfig, OmegaConf

from openswerl.files import read_jsonl
from openswerl.grpo.log import Log
from openswerl.grpo.trainer import Trainer
from openswerl.models.checkpoint import load_trainable
from openswerl.models.distributed import is_main
from openswerl.preflight.trend import Trend, trend
from openswerl.preflight.trial_causes import CAUSES, cause_of, summarise
from openswerl.preflight.trial_distance import Distance, distance, start_of
from openswerl.records import Instance
from openswerl.reward import open_rewards
from openswerl.stage import Job
from openswerl.tracking.mirror import Mirror
from openswerl.training.rewards import reward_of
from openswerl.training.select import select


class Trial(msgspec.Struct, frozen=True):
    """The trend of the mean reward, what else the curves amount to, and the likeliest reason if it does not rise."""

    steps: int
    reward: Trend | None
    summary: dict[str, float | None]
    word: str
    cause: str | None
    advice: str
    step_seconds: float

    def __str__(self) -> str:
        if self.reward is None:
            return f"trial: {self.steps} steps are too few to tell"
        slope, low, high = (self.steps * value for value in (self.reward.slope, self.reward.low, self.reward.high))
        change = f"by {slope:+.2f} ({low:+.2f} to {high:+.2f}) over {self.steps} steps"
        return f"trial: the reward {self.word}, {change}; {self._curves()}. {self.advice}"

    def _curves(self) -> str:
        """Return the other curves in short; what could not be measured as `?`."""
        found = {key: "?" if value is None else f"{value:.2g}" for key, value in self.summary.items()}
        return (
            f"well formed {found['format_rate_first']} to {found['format_rate_last']}, KL {found['kl_end']}, "
            f"{found['zero_variance']} of the groups without signal"
        )


def try_training(job: Job, instances: Sequence[Instance]) -> Trial | None:
    """Run `preflight.trial` steps in the scratch folder, from where a killed run stopped; None in other processes.

    The learning rate warms up and decays over these steps as it would over the whole run. A copy of the policy at
    its start is kept meanwhile (none with adapters). Writes trial.jsonl, the metrics of each step.
    """
    cfg, folder = trial_config(job.cfg), job.scratch / "trial"
    torch.manual_seed(cfg.seed)  # new adapters are drawn at random
    policy, tokenizer = load_trainable(cfg.model)
    start = start_of(cfg.grpo, policy)
    trainer = Trainer(cfg, policy, tokenizer, folder)
    with closing(trainer.sampler), open_rewards(reward_of(job), cfg.edits) as rewards:
        chosen = select(job, instances, tokenizer, rewards).instances
        log = _log(job, cfg, folder, chosen, trainer.step) if is_main() else None
        trainer.train(chosen, rewards, log)
        moved = distance(trainer, start, chosen)
    if log is None:
        return None
    shutil.copyfile(folder / "metrics.jsonl", job.out / "trial.jsonl")
    return read_trial(folder, cfg, moved)


def trial_config(cfg: DictConfig) -> DictConfig:
    """Return the config of the trial: that of grpo, for fewer steps."""
    copy: DictConfig = OmegaConf.create({**cfg})
    copy.grpo.steps = cfg.preflight.trial
    return copy


def _log(job: Job, cfg: DictConfig, folder: Path, instances: Sequence[Instance], from_step: int) -> Log:
    return Log(cfg, folder, instances, Mirror(), from_step=from_step)


def read_trial(folder: Path, cfg: DictConfig, moved: Distance | None) -> Trial:
    """Return the verdict on the run whose journals lie in `folder`."""
    rows, timings = read_jsonl(folder / "metrics.jsonl"), read_jsonl(folder / "timings.jsonl")
    seconds = sum(sum(row["seconds"].values()) for row in timings) / max(1, len(timings))
    return judge_trial(rows, cfg, seconds, moved)


def judge_trial(rows: Sequence[Mapping[str, Any]], cfg: DictConfig, seconds: float, moved: Distance | None) -> Trial:
    """Return the verdict on the metrics of a run by `preflight.trial_rules`; `seconds` are those of a step."""
    rewards = [row["reward_mean"] for row in rows if row["reward_mean"] is not None]
    found = trend(rewards, cfg.preflight.confidence)
    summary = summarise(rows, cfg.grpo.kl_coefficient, moved)
    if found is None:
        return Trial(len(rows), None, summary, "is unknown", None, "", seconds)
    if found.word == "rises":
        return Trial(len(rows), found, summary, found.word, None, "Training is worth starting", seconds)
    cause = cause_of(summary, cfg.preflight.trial_rules)
    return Trial(len(rows), found, summary, found.word, cause, CAUSES[cause].advice, seconds)
