"""CPU seconds of a GRPO step at laptop scale, sampling and update apart: python bench/grpo_step.py. Last line JSON."""

import json
import random
import tempfile
import time
from pathlib import Path

import torch

from openswerl.config import Cell
from openswerl.edits import apply
from openswerl.grpo.trainer import Trainer
from openswerl.laptop.tasks import make_repair
from openswerl.models.checkpoint import base_checkpoint, load_policy
from openswerl.records import Instance, SourceFile

STEPS = 8


def instance(rng: random.Random, number: int) -> Instance:
    """Return a generated task in the form of the relate stage's records."""
    task = make_repair(rng)
    context = task.task.context
    new = apply(context, task.gold)
    changed = [SourceFile(path, context[path]) for path in new]
    related = [SourceFile(path, text) for path, text in context.items() if path not in new]
    oracle = [SourceFile(path, text) for path, text in new.items()]
    return Instance(f"bench-{number}", "bench", "", task.task.problem_statement, changed, related, oracle, "")


def main() -> None:
    torch.set_num_threads(1)
    cfg = Cell("grpo", (f"grpo.steps={STEPS}", f"grpo.checkpoint_every={STEPS}")).view()
    rng = random.Random(0)
    instances = [instance(rng, number) for number in range(STEPS * cfg.grpo.prompts_per_step)]
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(cfg, *load_policy(cfg.model, base_checkpoint(cfg.model)), Path(folder))
        spent = {"sampling": 0.0}
        generate = trainer.sampler.generate

        def timed(*arguments, **settings):
            start = time.process_time()
            drawn = generate(*arguments, **settings)
            spent["sampling"] += time.process_time() - start
            return drawn

        trainer.sampler.generate = timed  # type: ignore[method-assign]
        start = time.process_time()
        trainer.train(instances)
        total = time.process_time() - start
    tokens = (
        sum(row["response_tokens"] for row in trainer.tracker.rows) * cfg.grpo.prompts_per_step * cfg.grpo.group_size
    )
    print(
        json.dumps(
            {
                "steps": STEPS,
                "cpu_s_per_step": round(total / STEPS, 3),
                "sampling_cpu_s_per_step": round(spent["sampling"] / STEPS, 3),
                "sampled_tokens_per_cpu_s": round(tokens / spent["sampling"]),
            }
        )
    )


if __name__ == "__main__":
    main()
