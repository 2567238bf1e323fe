"""The model card of a trained policy: what it was made from and how, so that it can be made again."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from openswerl.compose import CONF
from openswerl.marks import comments

PACKAGES = ("open-swe-rl", "torch", "transformers", "deepspeed", "tokenizers")
GROUPS = ("reward", "model", "rollout")


def model_card(cfg: DictConfig, digest: str, counts: Mapping[str, Any]) -> str:
    """Return README.md of the exported policy. It names no path of this machine but what `model.path` says."""
    base = cfg.model.path or "the laptop model that openswerl ships"
    revision = f" at revision {cfg.model.revision}" if cfg.model.revision else ""
    stage = "grpo" if "grpo" in cfg else "sft"
    how = f"GRPO with the {cfg.reward.name} reward" if stage == "grpo" else f"SFT on {cfg.sft.name} demonstrations"
    return "\n".join(
        [
            "---\nlibrary_name: transformers\npipeline_tag: text-generation\ntags: [swe-rl, " + stage + "]\n---",
            f"# {cfg.model.name}, trained by {how}\n",
            "Repairs issues: it reads an issue with files and answers with edits. Made by Open SWE-RL, an independent "
            "reproduction of SWE-RL (arXiv 2502.18449). The weights inherit the licence of the base.\n",
            "## Provenance\n",
            *_table({"base": f"{base}{revision}", "config digest": digest, "seed": cfg.seed, **counts}),
            *_table({name: version(name) for name in PACKAGES}, "package"),
            "## Settings and where they are from\n",
            *(line for group in (stage, *GROUPS) for line in _settings(group, cfg[group])),
        ]
    )


def _table(rows: Mapping[str, Any], head: str = "what") -> list[str]:
    return [f"| {head} | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items()), ""]


def _settings(group: str, values: DictConfig) -> Iterator[str]:
    """Yield a table of a group: value, and the comment of its file, unless something else set the value."""
    said, written = _file(CONF / group / f"{values.get('name', values.get('backend'))}.yaml")
    yield from (f"### {group}\n", "| key | value | source |", "| --- | --- | --- |")
    for key, value in _leaves(OmegaConf.to_container(values)).items():
        own = key in written and written[key] == value
        yield f"| {key} | {value} | {_cell(said.get(key, '')) if own else 'set for this run'} |"
    yield ""


def _file(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """Return comments and values by dotted key, those of files that it builds on too; none without a file."""
    if not path.exists():
        return {}, {}
    content = yaml.safe_load(path.read_text())
    said: dict[str, str] = {}
    written: dict[str, Any] = {}
    for parent in content.pop("defaults", []):
        if isinstance(parent, str) and parent != "_self_":
            said, written = _file(path.with_name(f"{parent}.yaml"))
    return said | comments(path), written | _leaves(content)


def _leaves(node: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(node, Mapping) or not node:
        return {prefix.removesuffix("."): node}
    return {key: value for name, child in node.items() for key, value in _leaves(child, f"{prefix}{name}.").items()}


def _cell(text: str) -> str:
    return text.replace("|", "/")
