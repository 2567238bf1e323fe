"""One stage under one set of overrides, and the identity of its result. Imports no torch.

The slice of the config that a stage declares is at once what its function is handed, what Snakemake tracks, and what
its digest covers.
"""

import functools
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from openswerl.compose import CONF, choices, key_of, load
from openswerl.graph import before_of
from openswerl.stages import AXES, AXIS_NAMES, DEFAULT, MODES, STAGES, VARIANT, axes, relative_folder


@dataclass(frozen=True)
class Cell:
    """One stage under one set of overrides."""

    stage: str
    overrides: tuple[str, ...] = ()

    @property
    def cfg(self) -> DictConfig:
        """The whole composed config. A policy is evaluated under the prompt that its reward was trained with."""
        return load(*_with_reward_behind(self))

    @property
    def choices(self) -> dict[str, str | None]:
        """The option that is chosen of each group of conf/."""
        return choices(*_with_reward_behind(self))

    def view(self, *, tracked_only: bool = False) -> DictConfig:
        """Return a read-only config with the declared keys alone: reading any other key raises."""
        stage = STAGES[self.stage]
        sub = OmegaConf.create({})
        for key in stage.reads + (() if tracked_only else stage.untracked):
            OmegaConf.update(sub, key, OmegaConf.select(self.cfg, key))
        OmegaConf.set_struct(sub, True)
        OmegaConf.set_readonly(sub, True)
        return sub

    @property
    def settings(self) -> dict[str, Any]:
        """The tracked view as plain data."""
        found: dict[str, Any] = OmegaConf.to_container(self.view(tracked_only=True))  # type: ignore[assignment]
        return found

    @property
    def params(self) -> str:
        """The settings in one canonical form: Snakemake compares the repr of params."""
        named = (OmegaConf.select(self.cfg, key) for key in STAGES[self.stage].files)
        paths = [path for value in named for path in ([value] if isinstance(value, str) else value or [])]
        content = {"files": {path: _content(path) for path in paths}} if paths else {}
        return json.dumps({"version": STAGES[self.stage].version, "config": self.settings, **content}, sort_keys=True)

    @property
    def digest(self) -> str:
        """Identity of the result: the tracked view chained with the digests of the cells before."""
        return _digest(self)

    @property
    def chosen_variant(self) -> str | None:
        """The variant that the overrides choose."""
        return next((item.partition("=")[2] for item in reversed(self.overrides) if key_of(item) == VARIANT), None)

    @property
    def variant(self) -> str | None:
        """The variant that makes this result another one; None where it is what it would be without."""
        name = self.chosen_variant
        if name in (None, DEFAULT):
            return None
        plain = Cell(self.stage, tuple(item for item in self.overrides if key_of(item) != VARIANT))
        return None if plain.digest == self.digest else name

    @property
    def folder(self) -> Path:
        """Where the result lives, the same for Snakemake and for a script run by hand."""
        return Path(self.cfg.run_dir + variant_folder(self), relative_folder(self.stage).format_map(axes(self.cfg)))

    def at(self, stage: str, *overrides: str) -> "Cell":
        """Return another stage's cell under these overrides and more, without the axes that it does not have."""
        drop = set(AXIS_NAMES).difference(AXES.get(stage, ())) | {key_of(item) for item in overrides}
        kept = [item for item in self.overrides if key_of(item) not in drop]
        if any(key_of(item) == "reward" for item in set(self.overrides).difference(kept, overrides)):
            kept = [item for item in kept if not item.startswith("reward.options.")]  # they are of that kind alone
        return Cell(stage, (*kept, *overrides))

    @property
    def name(self) -> str:
        """The stage and where it is on each of its axes, such as grpo-continuous-seed0."""
        return "-".join([self.stage, *self.folder.parts[len(self.folder.parts) - len(AXES.get(self.stage, ())) :]])

    @property
    def label(self) -> str:
        """The name, and the variant if there is one."""
        return f"{self.name}-{self.variant}" if self.variant else self.name

    @property
    def group(self) -> str:
        """The experiment, or the scale where none is chosen."""
        chosen = self.choices
        return str(chosen["experiment"] or chosen["scale"])

    @property
    def in_graph(self) -> bool:
        """Whether a rule can make this result; a check of environments or logs is a command alone."""
        return self.stage != "evaluate" or self.cfg.evaluate.mode not in MODES

    @property
    def before(self) -> tuple["Cell", ...]:
        """The cells whose results this one reads."""
        return before_of(self)


def variant_folder(cell: Cell) -> str:
    """Return what a variant's results have in their paths after `<results>/<scale>`; empty without one."""
    return f"/variants/{cell.variant}" if cell.variant else ""


def _with_reward_behind(cell: Cell) -> tuple[str, ...]:
    """Return the overrides; of a policy that is evaluated, with the reward behind it, which may choose the prompt."""
    policy = next((value for key, _, value in (item.partition("=") for item in cell.overrides) if key == "policy"), "")
    stage, _, reward = policy.partition("-")
    if cell.stage not in ("answer", "evaluate") or stage != "grpo" or not (CONF / "reward" / f"{reward}.yaml").exists():
        return cell.overrides
    return (*(item for item in cell.overrides if key_of(item) != "reward"), f"reward={reward}")


@functools.cache
def _content(path: str) -> str | None:
    """Return the sha256 of a file; None if it cannot be read, which its stage will say."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


@functools.cache
def _digest(cell: Cell) -> str:
    """Return a hash of the chain; how many parts an evaluation has is no matter, so they are not in it."""
    chain = [cell.params, *(before.digest for before in cell.before if before.stage != "answer")]
    return hashlib.sha256("\n".join(chain).encode()).hexdigest()[:12]


def under_snakemake() -> bool:
    """Whether this process was started by a Snakemake rule."""
    return "OPENSWERL_SNAKEMAKE" in os.environ
