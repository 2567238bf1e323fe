"""A few steps of training on a fixed global batch.

`python -m openswerl.launch 2 training.py FOLDER` leaves what two processes saw.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig, OmegaConf
from transformers import PreTrainedModel

from models.families import model_of, random_trees
from openswerl.models import distributed
from openswerl.models.engine import Engine
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.lora import add_lora

RATES = [1e-2, 8e-3, 6e-3, 4e-3]
BATCH = random_trees(5, 12, 6, 3, count=4)
LORA = {"rank": 4, "alpha": 8, "targets": ["q_proj", "v_proj"], "dropout": 0.0}


def optimiser(**changes: object) -> DictConfig:
    settings = {
        "lr": 1e-2,
        "warmup_steps": 0,
        "final_lr": 1.0,
        "betas": [0.9, 0.98],
        "weight_decay": 0.01,
        "max_grad_norm": 0.5,
        "zero_stage": 0,
        "offload": "none",
        "gradient_checkpointing": False,
        "sequence_parallel": 1,
    }
    return OmegaConf.create({**settings, **changes})


def policy(lora: bool = False) -> PreTrainedModel:
    """A new adapter's second factor is 0, and nothing flows to the first: both get the values of a step before."""
    model = model_of("llama", num_key_value_heads=2, initializer_range=0.1)
    return add_lora(model, OmegaConf.create(LORA)) if lora else model


def start(lora: bool = False, **changes: object) -> Engine:
    return Engine.start(policy(lora), optimiser(**changes))


def train(engine: Engine, rates: list[float]) -> list[list[float]]:
    """Return loss and gradient norm of each step: mean over branches of the mean over tokens."""
    count, seen = sum(len(tree.branches) for tree in BATCH), []
    for rate in rates:
        total = 0.0
        for tree in distributed.share(BATCH):
            done = branch_logprobs(engine.module, [tree])
            loss = -(done.logprobs.sum(1) / done.mask.sum(1)).sum() / count
            engine.backward(loss)
            total += loss.item()
        norm = engine.step(rate)
        seen.append([distributed.sum_over_ranks({"loss": total})["loss"], norm])
    return seen


def plain_training(rates: list[float]) -> list[list[float]]:
    """The same without any of our code or DeepSpeed: one path at a time through the public forward."""
    model, paths = policy(), [(tree.prompt, branch) for tree in BATCH for branch in tree.branches]
    adam = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.98), weight_decay=0.01)
    seen = []
    for rate in rates:
        losses = [model(torch.tensor([p + b]), labels=torch.tensor([[-100] * len(p) + b])).loss for p, b in paths]
        loss = torch.stack(losses).mean()
        adam.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        adam.param_groups[0]["lr"] = rate
        adam.step()
        seen.append([loss.item(), norm.item()])
    return seen


def resumed(folder: Path, **settings: Any) -> list[list[list[float]]]:
    """Return the steps after the second, of the run itself and of one that goes on from its checkpoint."""
    engine = start(**settings)
    train(engine, RATES[:2])
    engine.save(folder, 2)
    undisturbed = train(engine, RATES[2:])
    again = start(**settings)
    assert again.resume(folder) == 2
    return [undisturbed, train(again, RATES[2:])]


def main(folder: Path) -> None:
    seen: dict[str, Any] = {
        "gathered": distributed.gather(distributed.share(range(5))),
        "most": distributed.max_over_ranks(distributed.rank()),
        "sums": distributed.sum_over_ranks({"a": 1.0, f"only{distributed.rank()}": 2.0}),
    }
    for stage in (0, 2, 3):
        seen[f"zero{stage}"] = train(start(zero_stage=stage), RATES)
    for stage in (2, 3):
        seen[f"resumed{stage}"] = resumed(folder / f"zero{stage}", zero_stage=stage)
    tuned = start(lora=True, zero_stage=3, gradient_checkpointing=True)
    seen["lora"] = train(tuned, RATES)
    with tuned.gathered() as whole, torch.no_grad():
        seen["logits"] = whole(torch.tensor([BATCH[0].prompt])).logits[0, -1].tolist()
    from models.words import tokenizer

    tuned.export(folder / "policy", tokenizer(), "# card\n")
    if distributed.is_main():
        (folder / "seen.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    from openswerl.models.zero import open_process_group

    torch.set_num_threads(1)
    open_process_group()
    main(Path(sys.argv[1]))
    distributed.leave()
