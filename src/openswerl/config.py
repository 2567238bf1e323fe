"""Say what each stage may read, which stages come before it, and give every result an identity. Imports no torch.

A `Cell` is one stage under one set of Hydra overrides. The slice of the config that it declares is at once what the
stage function is handed, what Snakemake tracks, and what its digest covers.
"""

import functools
import hashlib
import itertools
import json
import os
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from openswerl.archive.spans import spans
from openswerl.compose import CONF, choices, key_of, load
from openswerl.errors import UserError

GATE = ("gold", "none")
MODES = {"gold": "gate", "regrade": "regrade"}  # of evaluate, which judge no policy: the names of their results
# The wildcards of the stages that have some; no other stage depends on those of AXIS_NAMES.
AXES = {
    "archive": ("span",),
    "preflight": ("rollout", "reward", "seed"),
    "sft": ("sft", "seed"),
    "grpo": ("reward", "seed"),
    "evaluate": ("policy", "seed"),
}
AXIS_NAMES = ("span", "sft", "reward", "policy", "seed")


@dataclass(frozen=True)
class Stage:
    """`reads`: keys in the digest. `untracked`: keys that say how, not what. Bump `version` as the meaning changes.

    `files`: keys that name files whose content belongs to the digest. `makes`: stages before this one that its script
    runs too, if they are not done.
    """

    reads: tuple[str, ...]
    untracked: tuple[str, ...] = ()
    version: int = 1
    files: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()


POLICY = ("model", "prompt", "edits")
RECORD = ("rollout.replay",)
JUDGED = (*RECORD, "evaluate.rows", "evaluate.logs")
# What sft reads of the reward: whether an answer is right, not what a malformed one earns.
SCORING = ("name", "kind", "options", "time_limit_s", "max_unscorable")

STAGES = {
    "laptop": Stage(("data.world",)),
    "archive": Stage(("data.source", "data.path", "data.start", "data.end", "span"), ("network",)),
    "crawl": Stage(("data", "crawl"), ("network", "memory_mb"), makes=("archive",)),
    "curate": Stage(("curate",), ("memory_mb",), files=("curate.benchmark_rows",)),
    "relate": Stage(("data", "relate"), ("serving",)),
    "preflight": Stage(
        (*POLICY, "rollout", "grpo", "reward", "preflight", "seed"), ("serving", "processes"), files=RECORD
    ),
    "sft": Stage(
        (*POLICY, "rollout", "sft", *(f"reward.{key}" for key in SCORING), "seed"),
        ("serving", "processes", "reward.workers", "reward.cache_size"),
        files=RECORD,
    ),
    "grpo": Stage((*POLICY, "rollout", "grpo", "reward", "seed"), ("serving", "processes")),
    "evaluate": Stage((*POLICY, "rollout", "relate", "evaluate", "policy", "seed"), ("serving",), files=JUDGED),
    "report": Stage(("report", "grid", "scale")),
}

DATA_STAGES = ("archive", "crawl", "curate", "relate")


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
    def params(self) -> str:
        """The tracked view in one canonical form: Snakemake compares the repr of params."""
        data = OmegaConf.to_container(self.view(tracked_only=True))
        named = (OmegaConf.select(self.cfg, key) for key in STAGES[self.stage].files)
        paths = [path for value in named for path in ([value] if isinstance(value, str) else value or [])]
        content = {"files": {path: _content(path) for path in paths}} if paths else {}
        return json.dumps({"version": STAGES[self.stage].version, "config": data, **content}, sort_keys=True)

    @property
    def digest(self) -> str:
        """Identity of the result: the tracked view chained with the digests of the cells before."""
        return _digest(self)

    @property
    def folder(self) -> Path:
        """Where the result lives, the same for Snakemake and for a script run by hand."""
        return Path(self.cfg.run_dir, relative_folder(self.stage).format_map(axes(self.cfg)))

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
        return _before(self)


def _with_reward_behind(cell: Cell) -> tuple[str, ...]:
    """Return the overrides; of a policy that is evaluated, with the reward behind it, which may choose the prompt."""
    policy = next((value for key, _, value in (item.partition("=") for item in cell.overrides) if key == "policy"), "")
    stage, _, reward = policy.partition("-")
    if cell.stage != "evaluate" or stage != "grpo" or not (CONF / "reward" / f"{reward}.yaml").exists():
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
    chain = [cell.params, *(before.digest for before in cell.before)]
    return hashlib.sha256("\n".join(chain).encode()).hexdigest()[:12]


def relative_folder(stage: str) -> str:
    """Return the path grammar of a stage below `<results>/<scale>`, with {axis} fields."""
    if stage in DATA_STAGES:
        return "/".join(["data", stage, *(f"{{{axis}}}" for axis in AXES.get(stage, ()))])
    return "/".join([stage, *(f"seed{{{axis}}}" if axis == "seed" else f"{{{axis}}}" for axis in AXES.get(stage, ()))])


def axes(cfg: DictConfig) -> dict[str, object]:
    """Return this config's place on every wildcard axis."""
    policy = MODES.get(cfg.evaluate.mode, cfg.policy)
    own = {"sft": cfg.sft.name, "reward": cfg.reward.name, "policy": policy, "seed": cfg.seed}
    return own | {"span": cfg.span, "rollout": cfg.rollout.name}


@functools.cache
def _before(cell: Cell) -> tuple[Cell, ...]:
    if cell.stage == "evaluate":
        return _before_evaluate(cell)
    if cell.stage == "report":
        return report_cells(cell)
    chain = {"curate": "crawl", "relate": "curate", "preflight": "relate", "sft": "relate", "grpo": "relate"}
    stages = [chain[cell.stage]] if cell.stage in chain else []
    if cell.cfg.data.source == "laptop" and (cell.stage in DATA_STAGES or _runs_tests(cell)):
        stages.append("laptop")
    hours = [cell.at("archive", f"span={span}") for span in spans(cell.cfg.data)] if cell.stage == "crawl" else []
    return (*hours, *(cell.at(stage) for stage in stages))


def _runs_tests(cell: Cell) -> bool:
    """Whether the reward runs tests in the repositories."""
    return cell.stage in ("preflight", "grpo") and "clones" in cell.cfg.reward.options


def _before_evaluate(cell: Cell) -> tuple[Cell, ...]:
    """The benchmark, the gate (gold resolved, no patch unresolved), and the training of a trained policy."""
    policy, own = cell.cfg.policy, cell.cfg.evaluate
    world = [cell.at("laptop")] if own.benchmark == "laptop" and own.mode != "regrade" else []
    if policy in GATE or own.mode in MODES:
        return tuple(world)
    return (*world, *gate_cells(cell), *trained(cell))


def preflight_cells(cell: Cell) -> list[Cell]:
    """Return one check before training for each reward of the grid."""
    seed = f"seed={cell.cfg.grid.seed[0]}"
    return [cell.at("preflight", f"reward={reward}", seed) for reward in cell.cfg.grid.reward]


def gate_cells(cell: Cell) -> list[Cell]:
    """Return the two evaluations that must come out right before any model's counts."""
    return [cell.at("evaluate", f"policy={name}", "seed=0") for name in GATE]


def trained(cell: Cell) -> list[Cell]:
    """Return the training cell of the policy that `cell` evaluates; empty for base. Raises UserError if unknown."""
    policy = cell.cfg.policy
    if policy == "base":
        return []
    stage, _, variant = policy.partition("-")
    if stage == "sft":
        return [cell.at("sft", f"sft={variant or 'paper'}")]
    if stage == "grpo" and variant:
        return [cell.at("grpo", f"reward={variant}")]
    raise UserError(f"policy={policy} is unknown: base, sft, sft-gold, grpo-<reward>, or the gate's gold and none")


def report_cells(cell: Cell) -> tuple[Cell, ...]:
    """Every evaluation of the grid, every training run behind one, and the data: hours, funnel, related files."""
    runs = itertools.product(policies(cell.cfg), cell.cfg.grid.seed)
    models = [cell.at("evaluate", f"policy={policy}", f"seed={seed}") for policy, seed in runs]
    training = [before for model in models for before in trained(model)]
    hours = [before for before in cell.at("crawl").before if before.stage == "archive"]
    return (*hours, cell.at("curate"), cell.at("relate"), *gate_cells(cell), *models, *training)


def policies(cfg: DictConfig) -> list[str]:
    """Return the policies of the grid, in the order of the tables."""
    return [*cfg.grid.baselines, *(f"grpo-{reward}" for reward in cfg.grid.reward)]


def wildcards() -> dict[str, str]:
    """Return the pattern of each wildcard: any option of conf/ and any seed, whether or not the grid has it."""
    sft, rewards, rollouts = (sorted(p.stem for p in (CONF / g).glob("*.yaml")) for g in ("sft", "reward", "rollout"))
    known = [*GATE, "base", "sft", *(f"sft-{name}" for name in sft), *(f"grpo-{name}" for name in rewards)]
    span = r"all|\d{4}-\d{2}"
    return {
        "span": span,
        "sft": "|".join(sft),
        "reward": "|".join(rewards),
        "rollout": "|".join(rollouts),
        "policy": "|".join(known),
        "seed": "[0-9]+",
    }


def under_snakemake() -> bool:
    """Whether this process was started by a Snakemake rule."""
    return "OPENSWERL_SNAKEMAKE" in os.environ
