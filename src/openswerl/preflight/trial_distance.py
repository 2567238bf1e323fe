"""How far a short run has moved the policy."""

from collections.abc import Sequence
from contextlib import nullcontext

import msgspec
import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel

from openswerl.grpo.loss import ESTIMATORS
from openswerl.grpo.micro import FILLER
from openswerl.grpo.reference import Reference, open_reference
from openswerl.grpo.rollouts import Place, sample_groups
from openswerl.grpo.trainer import Trainer
from openswerl.models.batches import batch_at
from openswerl.models.checkpoint import encode
from openswerl.models.distributed import max_over_ranks, pool, share, sum_over_ranks
from openswerl.models.logprobs import TokenLogprobs, branch_logprobs
from openswerl.models.packing import Tree
from openswerl.models.prompts import prompt_of
from openswerl.records import Instance

LARGEST = 50.0  # nats: the exponential of more is infinite in float32, which JSON has not


class Distance(msgspec.Struct, frozen=True):
    """KL of the trained policy to its start, in nats: of a token, and of a whole answer."""

    token: float
    answer: float


def start_of(grpo: DictConfig, policy: PreTrainedModel) -> Reference:
    """Return the policy as it is now: a frozen copy, or with adapters itself. Call it before the Trainer is made."""
    always: DictConfig = grpo.copy()
    always.kl_coefficient = 1.0
    reference = open_reference(always, policy)
    assert reference is not None
    return reference


def distance(trainer: Trainer, start: Reference, instances: Sequence[Instance]) -> Distance | None:
    """Return the distance on fresh answers to the prompts of the step that would come next; None without an answer.

    It is measured apart from training, so that it has no part in it. All processes call it. Answers of a model that
    never receives weights are not the policy's: then the number is a distance too, but no KL.
    """
    trees = pool(_trees(trainer, instances), trainer.team_size)
    count, sums = max_over_ranks(len(trees)), {"kl": 0.0, "tokens": 0.0, "answers": 0.0}
    for tree in [*trees, *[FILLER] * (count - len(trees))]:
        now = _logprobs(trainer, trainer.policy, tree)
        with start() as reference:
            then = _logprobs(trainer, reference, tree)
        if tree is FILLER:
            continue  # it keeps the number of passes equal on all ranks, as ZeRO needs
        gap = (then.logprobs - now.logprobs).where(now.mask, 0.0).clamp(max=LARGEST)
        sums["kl"] += float(ESTIMATORS["k3"](gap).sum())
        sums["tokens"] += float(now.mask.sum())
        sums["answers"] += len(tree.branches)
    total = sum_over_ranks(sums, trainer.team_size)
    return Distance(total["kl"] / total["tokens"], total["kl"] / total["answers"]) if total["tokens"] else None


def _trees(trainer: Trainer, instances: Sequence[Instance]) -> list[Tree]:
    """Draw this rank's answers; a tree is a prompt with those that came."""
    cfg, step = trainer.cfg, trainer.step
    trainer.publisher.publish(trainer.policy, step)
    chosen = batch_at(instances, step, cfg.grpo.prompts_per_step, cfg.seed)
    places = share([Place(i, instance) for i, instance in enumerate(chosen)])
    with trainer.engine.gathered() if trainer.publisher.live else nullcontext():
        drawn = sample_groups(places, trainer.sampler, cfg, step)
    answers = [[one.token_ids for one in group if one.token_ids] for group in drawn]
    prompts = [encode(trainer.tokenizer, prompt_of(one.instance, cfg), cfg.model.max_prompt_tokens) for one in places]
    return [Tree(prompt, rows) for prompt, rows in zip(prompts, answers, strict=True) if rows]


@torch.no_grad()
def _logprobs(trainer: Trainer, policy: PreTrainedModel, tree: Tree) -> TokenLogprobs:
    temperature, forward = trainer.cfg.grpo.temperature, trainer.cfg.model.forward
    return branch_logprobs(policy, [tree], temperature=temperature, forward=forward, team=trainer.engine.team)
