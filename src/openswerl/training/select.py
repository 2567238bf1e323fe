"""Choose what can be trained on: prompts that fit, and answers that the reward can tell to be right."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig
from transformers import PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.files import write_jsonl
from openswerl.models.checkpoint import prompt_fits
from openswerl.models.distributed import gather, is_main, share
from openswerl.models.prompts import Prompt, prompt_of
from openswerl.parquet import read_parquet
from openswerl.records import Instance
from openswerl.reward import ScorePool
from openswerl.reward.gate import Gate, gate, require

TOO_LONG = "prompt_too_long"


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
    found: Sequence[Instance],
    tokenizer: PreTrainedTokenizerBase,
    rewards: ScorePool,
    cfg: DictConfig,
    source: Path,
    prompts_of: Callable[[Instance], Sequence[Prompt]] | None = None,
) -> Selection:
    """Drop prompts longer than `model.max_prompt_tokens`, then instances whose golden answer does not score 1.

    `prompts_of` gives the prompts that must fit; the repair prompt alone if None. All processes must call it: each
    looks at its share. Raises UserError if nothing is left, or if the golden answers of more than
    `reward.max_unscorable` of those that fit do not score 1.
    """
    limit = cfg.model.max_prompt_tokens
    asked = prompts_of or (lambda item: [prompt_of(item, cfg)])
    fits = gather([all(prompt_fits(tokenizer, one, limit) for one in asked(item)) for item in share(found)])
    fitting = [item for item, fit in zip(found, fits, strict=True) if fit]
    too_long = [(item.instance_id, TOO_LONG) for item, fit in zip(found, fits, strict=True) if not fit]
    if not fitting:
        raise UserError(f"no instance of {source} has a prompt within model.max_prompt_tokens={limit}; raise it")
    failed = gather(gate(share(fitting), rewards).failed)
    passed = [item for item in fitting if item.instance_id not in dict(failed)]
    require(Gate(passed, failed), cfg.reward.max_unscorable)
    return Selection(passed, too_long + sorted(failed))


def write_quarantine(selection: Selection, folder: Path) -> None:
    """Write quarantine.jsonl: what was left out, and why."""
    if is_main():
        rows = [{"instance_id": name, "reason": reason} for name, reason in selection.left_out]
        write_jsonl(folder / "quarantine.jsonl", rows)
