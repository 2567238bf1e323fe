"""TRL's full GRPO step on the workload: python bench/train_trl.py FOLDER SHAPE STEPS. Last line JSON.

It may run in an interpreter of its own, so it imports nothing of ours but what is on disk.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
from datasets import Dataset
from transformers import AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

GROUP, PROMPTS_PER_STEP = 8, 2


class Stamps(TrainerCallback):
    """CPU time at the end of each step."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.at.append(time.process_time())


class Timed(GRPOTrainer):
    """Answers never end early; the CPU seconds of sampling are kept."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self.sampling: list[float] = []
        super().__init__(*arguments, **settings)

    def _generate_single_turn(self, *arguments: Any, **settings: Any) -> Any:
        start = time.process_time()
        drawn = super()._generate_single_turn(*arguments, **settings)
        self.sampling.append(time.process_time() - start)
        assert {len(ids) for ids in drawn[0]} == {self.max_completion_length}, "an answer ended early"
        return drawn


def rewards(completions: list[str], **_: Any) -> list[float]:
    """The rule of train_workload.reward."""
    return [len(text) % 17 / 16 for text in completions]


def settings(folder: str, answer: int, steps: int) -> GRPOConfig:
    return GRPOConfig(
        folder,
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
        logging_steps=1000,
        disable_tqdm=True,
        max_steps=steps + 1,
        per_device_train_batch_size=GROUP * PROMPTS_PER_STEP,
        num_generations=GROUP,
        max_completion_length=answer,
        gradient_checkpointing=False,
        learning_rate=1e-4,
        lr_scheduler_type="constant",
        max_grad_norm=1.0,
        adam_beta2=0.999,
        beta=0.0,
        loss_type="grpo",
        scale_rewards="group",
        epsilon=0.2,
        temperature=1.0,
        top_p=1.0,
        top_k=0,
    )


def main() -> None:
    folder, shape, steps = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(1)
    answer, stamps = int(shape.split("_")[1]), Stamps()
    texts = json.loads((folder / f"{shape}.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        trainer = Timed(
            str(folder / "model"),
            reward_funcs=rewards,
            args=settings(scratch, answer, steps),
            train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
            processing_class=AutoTokenizer.from_pretrained(folder / "model"),
            callbacks=[stamps],
        )
        trainer.eos_token_ids = [-1]
        trainer.generation_config.eos_token_id = trainer.generation_kwargs["eos_token_id"] = None
        trainer.train()
    spent = [after - before for before, after in zip(stamps.at, stamps.at[1:], strict=False)]
    found = [{"step": s, "generate": g} for s, g in zip(spent, trainer.sampling[1:], strict=True)]
    print(json.dumps({"steps": found, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
