"""Teams of processes that read each row together: `python -m openswerl.launch N teams.py FOLDER TEAM CASE ...`.

Every process leaves the values that it saw, and what reached the optimiser.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from omegaconf import OmegaConf

from models.families import TREES, model_of, random_trees
from models.training import LORA, optimiser
from openswerl.models import distributed
from openswerl.models.engine import Engine
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.lora import add_lora
from openswerl.models.packing import Tree

TEMPERATURE, RATE, BETA = 0.7, 1e-2, 0.9
# Rows of 26, 3, 23 and over 1,000 tokens: the third's answers lie in the last stretch alone, the fourth's take several
# chunks of logits in each.
ROWS = [TREES, [TREES[2]], [Tree([*range(2, 22)], [[4, 8, 1]])], random_trees(3, 30, 280, 8, count=1)]
PLAIN: dict[str, Any] = {"family": "llama", "num_key_value_heads": 2}
SIX_HEADS = {"num_attention_heads": 6, "hidden_size": 48}
# name: the model, and what Engine.start is told
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **{f"zero{stage}": (PLAIN, {"zero_stage": stage}) for stage in range(4)},
    "recomputed": (PLAIN, {"zero_stage": 3, "gradient_checkpointing": True}),
    "one key head": (PLAIN | {"num_key_value_heads": 1}, {"zero_stage": 2}),
    "three key heads": (
        PLAIN | SIX_HEADS | {"num_key_value_heads": 3},
        {"zero_stage": 2, "gradient_checkpointing": True},
    ),
    "tied": ({"family": "qwen2"}, {"zero_stage": 3}),
    "windows": ({"family": "gemma3_text", "sliding_window": 256}, {"zero_stage": 1}),
    "lora2": (PLAIN | {"lora": True}, {"zero_stage": 2}),
    "lora3": (PLAIN | {"lora": True}, {"zero_stage": 3, "gradient_checkpointing": True}),
}


def policy(family: str, lora: bool = False, **settings: Any) -> Any:
    """The adapters' second factor is 0 at first: here it is not, so that both have a gradient."""
    model = model_of(family, **settings)
    if not lora:
        return model
    tuned = add_lora(model, OmegaConf.create(LORA))
    for name, parameter in tuned.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1, generator=torch.Generator().manual_seed(len(name)))
    return tuned


def loss_of(logprobs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Weights of both signs, another one for each token."""
    weights = torch.linspace(-1, 1.5, mask.numel()).reshape(mask.shape)
    return (logprobs * weights * mask).sum() / 50


def first_moments(engine: Engine) -> dict[str, torch.Tensor]:
    """Return AdamW's means of gradients after a step: of the first step, the clipped gradient times 1 - beta."""
    from deepspeed.utils import safe_get_full_optimizer_state

    wrapped, trained = engine._deepspeed, {n: p for n, p in engine.module.named_parameters() if p.requires_grad}
    if engine._optimiser.zero_stage == 0:
        return {name: wrapped.optimizer.state[p]["exp_avg"].clone() for name, p in trained.items()}
    return {name: safe_get_full_optimizer_state(p, "exp_avg").clone() for name, p in trained.items()}


def seen(case: str, size: int) -> dict[str, Any]:
    """Make one step, and return what this process saw: values of the rows of its team, norm and gradients of all."""
    model, settings = CASES[case]
    engine = Engine.start(policy(**model), optimiser(**settings, sequence_parallel=size))
    values = {}
    for number, row in distributed.share([*enumerate(ROWS)], size):
        done = branch_logprobs(engine.module, row, temperature=TEMPERATURE, team=engine.team)
        values[number] = (done.logprobs.detach(), done.entropy, done.mask)
        engine.backward(loss_of(done.logprobs, done.mask))
    norm = engine.step(RATE)
    with engine.gathered() as module:
        weights = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    return {"values": values, "norm": norm, "gradients": first_moments(engine), "weights": weights}


if __name__ == "__main__":
    from openswerl.models.zero import open_process_group

    torch.set_num_threads(1)
    open_process_group()
    folder, team, cases = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    torch.save({case: seen(case, team) for case in cases}, folder / f"{distributed.rank()}.pt")
    distributed.leave()
