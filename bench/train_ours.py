"""Our full GRPO step on the workload: python bench/train_ours.py FOLDER SHAPE packed|padded. Last line JSON."""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import torch
from train_workload import GROUP, PROMPTS_PER_STEP, SHAPES, Shape, instances, reward

from openswerl.config import Cell
from openswerl.grpo.timings import Clock
from openswerl.grpo.trainer import Trainer
from openswerl.models.checkpoint import load_policy
from openswerl.reward import Score
from openswerl.reward.settings import Call
from openswerl.rollout import Completion


class CpuClock(Clock):
    """CPU seconds of each step, and of its phases."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[dict[str, float]] = []
        self.start = time.process_time()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] += time.process_time() - start

    def lap(self) -> dict[str, float]:
        now = time.process_time()
        self.steps.append({"step": now - self.start, **super().lap()})
        self.start = now
        return {}


class WholeBudget:
    """Answers never end early, and count as finished."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler
        sampler.ending = lambda row: False

    def generate(self, *arguments: Any, **settings: Any) -> list[list[Completion]]:
        drawn = self.sampler.generate(*arguments, **settings)
        return [[msgspec.structs.replace(one, finished=True) for one in group] for group in drawn]


class TrivialRewards:
    """Takes the place of the scoring processes."""

    def score_many(self, calls: Sequence[Call]) -> list[Score]:
        return [Score(reward(call.output)) for call in calls]


def config(folder: Path, shape: Shape, forward: str) -> Any:
    return Cell(
        "grpo",
        (
            f"model.path={folder / 'model'}",
            f"model.max_prompt_tokens={shape.prompt}",
            f"model.max_response_tokens={shape.answer}",
            f"model.forward={forward}",
            f"grpo.steps={shape.steps + 1}",
            f"grpo.prompts_per_step={PROMPTS_PER_STEP}",
            f"grpo.group_size={GROUP}",
            "grpo.kl_coefficient=0",
            "grpo.optimiser={lr: 1e-4, warmup_steps: 0, final_lr: 1, betas: [0.9, 0.999], zero_stage: 0}",
        ),
    ).view()


def main() -> None:
    folder, shape, forward = Path(sys.argv[1]), SHAPES[sys.argv[2]], sys.argv[3]
    torch.set_num_threads(1)
    cfg = config(folder, shape, forward)
    policy, tokenizer = load_policy(cfg.model, folder / "model")
    clock = CpuClock()
    with tempfile.TemporaryDirectory() as scratch:
        trainer = Trainer(cfg, policy, tokenizer, Path(scratch))
        trainer.clock, trainer.sampler = clock, WholeBudget(trainer.sampler)  # type: ignore[assignment]
        clock.start = time.process_time()
        trainer.train(list(instances(tokenizer, shape)), TrivialRewards(), None)  # type: ignore[arg-type]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"steps": clock.steps[1:], "peak_mb": peak}))


if __name__ == "__main__":
    main()
