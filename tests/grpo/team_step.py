"""One step of a GRPO run whose processes read each group together: `... launch N team_step.py FOLDER CASE ...`."""

import sys
from pathlib import Path
from typing import Any

import torch

from models.teams import first_moments
from openswerl.config import Cell
from openswerl.grpo.rollouts import Group, Place, reward_table
from openswerl.grpo.trainer import Drawn, Trainer
from openswerl.models import distributed
from openswerl.models.checkpoint import load_trainable
from openswerl.reward import Score
from openswerl.rollout import Completion
from training_fixtures import SMALL, repair_instances

# Answers of 4, 2, 1 and 3 tokens: rows of a prompt and 10 tokens, or 8 where one is masked.
ANSWERS = ([40, 41, 42, 43], [44, 45], [46], [47, 48, 49])
REWARDS = [[1.0, -1.0, 0.5, 0.0], [0.2, 0.2, 0.2, 0.2], [0.9, None, 0.1, -1.0]]
# Overrides of conf/; a step of two iterations has ratios beside 1, and the KL term lets no group go.
CASES: dict[str, tuple[str, ...]] = {
    "plain": ("grpo.micro_batch_groups=1",),
    "one row": ("grpo.micro_batch_groups=8",),
    "kl": (
        "grpo.micro_batch_groups=1", "grpo.iterations=2", "grpo.kl_coefficient=0.05", "grpo.ratio=sequence",
        "grpo.temperature=0.7", "grpo.normalisation=token", "grpo.optimiser.lr=1e-5",
    ),
    "lora": ("grpo.micro_batch_groups=2", "model.lora.rank=4", "grpo.kl_coefficient=0.05", "grpo.iterations=2"),
}  # fmt: skip


def drawn() -> Drawn:
    """Fixed answers of all processes, of which each has drawn its share."""
    tasks = repair_instances(len(REWARDS))
    groups = [
        Group(
            Place(i, tasks[i]),
            [Completion("", list(ids), True, None) for ids in ANSWERS],
            [Score(reward, None if reward is not None else "timeout") for reward in row],
        )
        for i, row in enumerate(REWARDS)
    ]
    return Drawn(distributed.share(groups), reward_table([group.rewards for group in groups]), {})


def step(case: str, folder: Path, *overrides: str) -> dict[str, Any]:
    """Return metrics, first moments and weights after one update of the laptop's model."""
    cfg = Cell("grpo", (*SMALL, *CASES[case], *overrides)).view()
    torch.manual_seed(0)
    trainer = Trainer(cfg, *load_trainable(cfg.model), folder)
    metrics = trainer._update(drawn())
    with trainer.engine.gathered() as module:
        weights = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    return {"metrics": metrics, "gradients": first_moments(trainer.engine), "weights": weights}


if __name__ == "__main__":
    from openswerl.models.zero import open_process_group

    torch.set_num_threads(1)
    open_process_group()
    folder, seen = Path(sys.argv[1]), {}
    for name in sys.argv[2:]:
        case, _, stage = name.partition("@")
        settings = (f"grpo.optimiser.{key}" for key in (f"zero_stage={stage}", "sequence_parallel=2"))
        seen[name] = step(case, folder / name, f"processes={distributed.world()}", *settings)
    torch.save(seen, folder / f"{distributed.rank()}.pt")
    distributed.leave()
