"""Demonstrations: sampled from the base model with the gold edit as hint and kept by form, or perfect ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from omegaconf import DictConfig

from openswerl.edits import Block, FormatError, apply, minimal_blocks, parse, parse_blocks, render
from openswerl.errors import UserError
from openswerl.models.batches import batch_at, step_seed
from openswerl.models.prompts import hinted_prompt
from openswerl.records import Instance
from openswerl.rollout import Completion, Sampler


@dataclass
class Demonstrations:
    """(instance, answer text) pairs, how many answers were looked at, and why the others were dropped."""

    kept: list[tuple[Instance, str]] = field(default_factory=list)
    sampled: int = 0
    rejected: Counter[str] = field(default_factory=Counter)


def gold_edit(instance: Instance) -> list[Block]:
    """Return the oracle as SEARCH/REPLACE blocks."""
    return minimal_blocks(instance.task.context, instance.oracle)


def perfect(instances: Sequence[Instance], sampler: Sampler, cfg: DictConfig) -> Demonstrations:
    """One perfect answer per instance; an upper bound that the paper does not have."""
    done = Demonstrations(sampled=len(instances))
    for instance in instances:
        blocks = gold_edit(instance)
        places = " and ".join(dict.fromkeys(block.path for block in blocks))
        done.kept.append((instance, render(f"The fix belongs in {places}.", blocks)))
    return done


def hinted(instances: Sequence[Instance], sampler: Sampler, cfg: DictConfig) -> Demonstrations:
    """Sample answers to prompts that show the gold edit; keep the well-formed ones (paper appendix C).

    Kept: blocks are well formed, and their paths and SEARCH texts match the files. No similarity is asked for, as the
    paper states none. The training prompt later has no hint.
    """
    sft = cfg.sft
    chosen = batch_at(instances, 0, sft.prompts, cfg.seed)
    done = Demonstrations()
    size = max(1, cfg.rollout.batch_rows // sft.samples_per_prompt)
    for start in range(0, len(chosen), size):
        part = chosen[start : start + size]
        prompts = [hinted_prompt(instance.task, gold_edit(instance), cfg.model.prompt) for instance in part]
        seed = step_seed(cfg.seed, start)
        drawn = sampler.generate(prompts, samples=sft.samples_per_prompt, temperature=sft.temperature, seed=seed)
        for instance, completions in zip(part, drawn, strict=True):
            for completion in completions:
                _keep(done, instance, completion)
        print(f"sft: {len(done.kept)} of {done.sampled} sampled demonstrations kept", flush=True)
    return done


def _keep(done: Demonstrations, instance: Instance, completion: Completion) -> None:
    done.sampled += 1
    reason = "unfinished" if not completion.finished else _fault(instance, completion.text)
    if reason is None:
        done.kept.append((instance, completion.text))
    else:
        done.rejected[reason] += 1


def _fault(instance: Instance, output: str) -> str | None:
    """The reason code of a malformed answer, None for a well-formed one."""
    try:
        blocks = parse_blocks(parse(output).solution)
        apply(instance.task.context, blocks)
    except FormatError as error:
        return error.reason
    return None if all(block.path in instance.task.context for block in blocks) else "unknown_path"


SOURCES: dict[str, Callable[[Sequence[Instance], Sampler, DictConfig], Demonstrations]] = {
    "hinted": hinted,
    "gold": perfect,
}


def make_demonstrations(instances: Sequence[Instance], sampler: Sampler, cfg: DictConfig) -> Demonstrations:
    """Return the demonstrations that `sft.demonstrations` names. Raises UserError if unknown or if none is kept."""
    if cfg.sft.demonstrations not in SOURCES:
        raise UserError(f"sft.demonstrations={cfg.sft.demonstrations} is unknown: choose {' or '.join(SOURCES)}")
    done = SOURCES[cfg.sft.demonstrations](instances, sampler, cfg)
    if not done.kept:
        raise UserError(
            f"none of {done.sampled} demonstrations is well formed ({dict(done.rejected)}); raise sft.prompts"
        )
    return done
