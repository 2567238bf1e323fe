"""The model card of a trained policy: what it was made from and how, so that it can be made again."""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from openswerl.config import Cell
from openswerl.marks import Mark, settings
from openswerl.stage import Job

PACKAGES = ("open-swe-rl", "torch", "transformers", "deepspeed", "tokenizers")
GROUPS = ("reward", "model", "rollout", "edits", "prompt")
PATH = re.compile(r"(~|\.{0,2})/.*")
PATH_KEYS = ("sft.mix.path", "reward.options.clones")


def model_card(job: Job, counts: Mapping[str, Any]) -> str:
    """Return README.md of the exported policy. It names no path of this machine but what `model.path` says.

    Raises ValueError for a job without its cell, which alone knows who set each value.
    """
    if job.cell is None:
        raise ValueError("a model card needs job.cell")
    cfg, stage = job.cfg, job.cell.stage
    base = cfg.model.path or "the laptop model that openswerl ships"
    revision = f" at revision {cfg.model.revision}" if cfg.model.revision else ""
    how = f"GRPO with the {cfg.reward.name} reward" if stage == "grpo" else f"SFT on {cfg.sft.name} demonstrations"
    return "\n".join(
        [
            "---\nlibrary_name: transformers\npipeline_tag: text-generation\ntags: [swe-rl, " + stage + "]\n---",
            f"# {cfg.model.name}, trained by {how}\n",
            "Repairs issues: it reads an issue with files and answers with edits. Made by Open SWE-RL, an independent "
            "reproduction of SWE-RL (arXiv 2502.18449). The weights inherit the licence of the base.\n",
            "## Provenance\n",
            *_table({"base": f"{base}{revision}", "config digest": job.digest, "seed": cfg.seed, **counts}),
            *_table({name: version(name) for name in PACKAGES}, "package"),
            "## Settings and where they are from\n",
            *(line for group in (stage, *GROUPS) for line in _settings(job.cell, group)),
        ]
    )


def _table(rows: Mapping[str, Any], head: str = "what") -> list[str]:
    return [f"| {head} | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items()), ""]


def _settings(cell: Cell, group: str) -> Iterator[str]:
    """Yield a table of a group: key, value, and who set it."""
    yield from (f"### {group}\n", "| key | value | source |", "| --- | --- | --- |")
    for key, value, mark in settings(cell, group):
        yield f"| {key} | {_cell(_public(f'{group}.{key}', value))} | {_cell(_source(mark))} |"
    yield ""


def _public(key: str, value: str) -> str:
    """Return a value, but not a path of this machine; where the base is from, the reader must know."""
    hidden = key != "model.path" and value != "null" and (key in PATH_KEYS or PATH.fullmatch(value) is not None)
    return "a local path" if hidden else value


def _source(mark: Mark) -> str:
    return f"{mark.source}: {mark.note}" if mark.note else mark.source


def _cell(text: str) -> str:
    return text.replace("|", "/")
