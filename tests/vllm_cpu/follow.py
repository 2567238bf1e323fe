"""Train a policy with a vLLM that follows it, and write what both say after each publish.

`python follow.py FOLDER key=value ...`, or as several processes by openswerl.launch.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.laptop.tasks import make_repair
from openswerl.models import distributed
from openswerl.models.checkpoint import load_trainable, token_ids
from openswerl.models.engine import Engine
from openswerl.models.logprobs import branch_logprobs
from openswerl.models.packing import Tree
from openswerl.models.prompts import repair_prompt
from openswerl.rollout.local import LocalSampler
from openswerl.rollout.policies import policy_sampler
from openswerl.rollout.samples import Completion, Sampler
from openswerl.rollout.vllm.contract import check_served
from vllm_cpu.cases import PROMPTS

TEMPERATURE = 0.8


def main(folder: Path, cfg: DictConfig) -> None:
    policy, tokenizer = load_trainable(cfg.model)
    engine = Engine.start(policy, cfg.grpo.optimiser)
    sampler, publisher = policy_sampler(engine.module, tokenizer, cfg)
    repair = make_repair(random.Random(0))
    tree = Tree(token_ids(tokenizer, repair_prompt(repair.task, "compact")), [tokenizer.encode("<solution>\n")])
    seen = []
    for version in range(3):
        publisher.publish(engine.module, version)
        seen.append(look(engine, sampler, cfg))
        step(engine, tree, cfg.grpo.optimiser.lr)
    found = {"seen": seen, "unpublished": unpublished(engine, publisher, cfg)}
    sampler.close()
    (folder / f"seen{distributed.rank()}.json").write_text(json.dumps(found))
    distributed.leave()


def step(engine: Engine, tree: Tree, rate: float) -> None:
    """Make an answer less likely."""
    for _ in range(2):
        engine.backward(branch_logprobs(engine.module, [tree]).logprobs.mean() / distributed.world())
        engine.step(rate)


def look(engine: Engine, sampler: Sampler, cfg: DictConfig) -> dict[str, Any]:
    """Return greedy and sampled completions of vLLM, our own greedy ones, and our log-probabilities of the sampled."""
    served, sampled = drawn(sampler, 0.0), drawn(sampler, TEMPERATURE)
    with engine.gathered() as whole:
        local = drawn(LocalSampler(whole, sampler.tokenizer, cfg.model, cfg.rollout), 0.0)
    prompts = [token_ids(sampler.tokenizer, prompt) for prompt in PROMPTS]
    trees = [Tree(ids, [c.token_ids for c in row]) for ids, row in zip(prompts, sampled, strict=True)]
    with torch.no_grad():
        ours = branch_logprobs(engine.module, trees, temperature=TEMPERATURE)
    return {
        "served": [told(c) for row in served for c in row],
        "sampled": [told(c) for row in sampled for c in row],
        "local": [told(c) for row in local for c in row],
        "ours": [row[mask].tolist() for row, mask in zip(ours.logprobs, ours.mask, strict=True)],
    }


def drawn(sampler: Sampler, temperature: float) -> list[list[Completion]]:
    return sampler.generate(PROMPTS, samples=2, temperature=temperature, seeds=[1, 2, 3])


def told(completion: Completion) -> dict[str, Any]:
    return {name: getattr(completion, name) for name in ("text", "token_ids", "finished", "logprobs", "version")}


def unpublished(engine: Engine, publisher: Any, cfg: DictConfig) -> str:
    """Return what the check says of weights that were trained and not sent."""
    scores = publisher.link.scores if publisher.link else None
    try:
        check_served(engine.module, publisher.probes, scores, cfg.model.forward, cfg.rollout.engine.max_gap)
    except UserError as error:
        return str(error)
    return "nothing"


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]), load(*sys.argv[2:]))
