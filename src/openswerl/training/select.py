"""Choose what can be trained on: prompts that fit, and answers that the reward can tell to be right."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig
from transformers import PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.files import read_jsonl, write_jsonl
from openswerl.models.checkpoint import prompt_fits
from openswerl.models.distributed import gather, is_main, share
from openswerl.models.prompts import Prompt, prompt_of
from openswerl.parquet import read_parquet
from openswerl.records import Instance
from openswerl.reward import ScorePool
from openswerl.reward.gate import Gate, gate, require
from openswerl.stage import Job

TOO_LONG = "prompt_too_long"
Prompts = Callable[[Instance], Sequence[Prompt]]


@dataclass(frozen=True)
class Selection:
    """The instances to train on, and why the others are not among them: (instance id, reason)."""

    instances: list[Instance]
    left_out: list[tuple[str, str]]

    @property
    def reasons(self) -> dict[str, int]:
        """How many were left out by reason."""
        return dict(sorted(Counter(reason for _, reason in self.left_out).items()))


def read_instances(source: Path) -> list[Instance]:
    """Return the instances of relate. Raises UserError if there is none."""
    found = read_parquet(source, Instance)
    if not found:
        raise UserError(f"{source} holds no instance; funnel.csv of curate says what was left out, and why")
    return found


def select(
    job: Job,
    found: Sequence[Instance],
    tokenizer: PreTrainedTokenizerBase,
    rewards: ScorePool,
    prompts_of: Prompts | None = None,
) -> Selection:
    """Drop prompts longer than `model.max_prompt_tokens`, then instances whose golden answer does not score 1.

    `prompts_of` gives the prompts that must fit; the repair prompt alone if None. All processes must call it: each
    looks at its share. The choice is made once and kept in the scratch folder, as scoring has a time limit: a run that
    resumes trains on the same data. Writes quarantine.jsonl. Raises UserError if nothing is left, or if the golden
    answers of more than `reward.max_unscorable` of those that fit do not score 1; that choice is not kept.
    """
    path = job.scratch / "quarantine.jsonl"
    kept = gather([path.exists()])[0]  # as the main process sees it
    left_out = _read(path) if kept else _left_out(job, found, tokenizer, rewards, prompts_of)
    if is_main():
        rows = [{"instance_id": name, "reason": reason} for name, reason in left_out]
        write_jsonl(job.out / "quarantine.jsonl", rows)
    chosen = Selection(_without(found, left_out), left_out)
    if not kept:
        _require(chosen, job.cfg)
        if is_main():
            write_jsonl(path, rows)
    return chosen


def _read(path: Path) -> list[tuple[str, str]]:
    return [(row["instance_id"], row["reason"]) for row in read_jsonl(path)]


def _left_out(
    job: Job,
    found: Sequence[Instance],
    tokenizer: PreTrainedTokenizerBase,
    rewards: ScorePool,
    prompts_of: Prompts | None,
) -> list[tuple[str, str]]:
    """Return whom to leave out: the too long in their order, then the unscorable by name."""
    limit = job.cfg.model.max_prompt_tokens
    asked = prompts_of or (lambda item: [prompt_of(item, job.cfg)])
    fits = gather([all(prompt_fits(tokenizer, one, limit) for one in asked(item)) for item in share(found)])
    too_long = [(item.instance_id, TOO_LONG) for item, fit in zip(found, fits, strict=True) if not fit]
    return too_long + sorted(gather(gate(share(_without(found, too_long)), rewards).failed))


def _without(found: Sequence[Instance], left_out: Sequence[tuple[str, str]]) -> list[Instance]:
    names = {name for name, _ in left_out}
    return [item for item in found if item.instance_id not in names]


def _require(chosen: Selection, cfg: DictConfig) -> None:
    failed = [(name, reason) for name, reason in chosen.left_out if reason != TOO_LONG]
    if not chosen.instances and not failed:
        limit = cfg.model.max_prompt_tokens
        raise UserError(f"no instance of relate has a prompt within model.max_prompt_tokens={limit}; raise it")
    require(Gate(chosen.instances, failed), cfg.reward.max_unscorable)
