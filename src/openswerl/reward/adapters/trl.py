"""The rewards as TRL's trainers call them: `GRPOTrainer(reward_funcs=similarity_reward, ...)`."""

from collections.abc import Mapping, Sequence
from typing import Any

from openswerl.records import Instance
from openswerl.reward.adapters.scoring import Files, files_of, score_files

Completion = str | Sequence[Mapping[str, Any]]


def row_of(instance: Instance, prompt: str | list[dict[str, str]]) -> dict[str, Any]:
    """Return a row of TRL's dataset: the prompt, and the columns that `similarity_reward` reads."""
    return {"prompt": prompt, **files_of(instance)}


def similarity_reward(
    prompts: Sequence[Any],
    completions: Sequence[Completion],
    changed_files: Sequence[Files],
    related_unchanged_files: Sequence[Files],
    oracle_new_content: Sequence[Files],
    settings: Mapping[str, Any] | None = None,
    **columns: Any,
) -> list[float | None]:
    """Return the reward of each completion; None where there is no number to give, which TRL leaves out.

    `settings` are keywords of `openswerl.reward.score`: partial(similarity_reward, settings={"kind": "discrete"}).
    A completion is a text, or messages whose last one is the answer. The other columns are not read.
    Raises UserError as `score`.
    """
    files = zip(changed_files, related_unchanged_files, oracle_new_content, strict=True)
    pairs = zip(files, completions, strict=True)
    return [score_files(*sides, _text(completion), settings or {}).reward for sides, completion in pairs]


def _text(completion: Completion) -> str:
    return completion if isinstance(completion, str) else str(completion[-1]["content"])
