"""Say what each stage may read, which stages come before it, and give every result an identity. Imports no torch.

A `Cell` is one stage under one set of Hydra overrides. The slice of the config that it declares is at once what the
stage function is handed, what Snakemake tracks, and what its digest covers.
"""

import functools
import hashlib
import itertools
import json
import os
from collections.abc import Iterator
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
    "answer": ("policy", "seed", "part"),
    "evaluate": ("policy", "seed"),
    "ood": ("policy", "seed"),
}
VARIANT, DEFAULT, A_VARIANT = "variant", "default", r"/variants/[\w.-]+"
AXIS_NAMES = ("span", "sft", "reward", "policy", "seed", "part")


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
# What ood reads of the model: not the lengths, as it has its own.
WEIGHTS = tuple(f"model.{key}" for key in ("name", "path", "revision", "dtype", "prompt", "forward", "lora"))
# The suites of ood with rows of their own; the others share these.
OOD_SUITES = ("humaneval", "bigcodebench_instruct", "cruxeval_input", "math_strict", "mmlu")
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
    "answer": Stage((*POLICY, "rollout", "relate", "evaluate", "policy", "seed", "part"), ("serving",), files=JUDGED),
    "evaluate": Stage(
        (*POLICY, "rollout", "relate", "evaluate", "policy", "seed"),
        ("serving", "parts"),
        version=2,
        files=JUDGED,
    ),
    "ood": Stage(
        (*WEIGHTS, "rollout", "ood", "policy", "seed"),
        ("serving",),
        files=(*RECORD, *(f"ood.suites.{name}.rows" for name in OOD_SUITES)),
    ),
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
    def variant(self) -> str | None:
        """The variant that makes this result another one; None where it is what it would be without."""
        name, plain = _without_variant(self)
        return None if name in (None, DEFAULT) or plain.digest == self.digest else name

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
        return _before(self)


def _without_variant(cell: Cell) -> tuple[str | None, Cell]:
    """Return the name of the variant that the overrides choose, and the cell without it."""
    named = [item.partition("=")[2] for item in cell.overrides if key_of(item) == VARIANT]
    kept = tuple(item for item in cell.overrides if key_of(item) != VARIANT)
    return (named[-1] if named else None), Cell(cell.stage, kept)


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


def relative_folder(stage: str) -> str:
    """Return the path grammar of a stage below `<results>/<scale>`, with {axis} fields."""
    if stage in DATA_STAGES:
        return "/".join(["data", stage, *(f"{{{axis}}}" for axis in AXES.get(stage, ()))])
    return "/".join([stage, *(f"seed{{{axis}}}" if axis == "seed" else f"{{{axis}}}" for axis in AXES.get(stage, ()))])


def axes(cfg: DictConfig) -> dict[str, object]:
    """Return this config's place on every wildcard axis."""
    policy = MODES.get(cfg.evaluate.mode, cfg.policy)
    own = {"sft": cfg.sft.name, "reward": cfg.reward.name, "policy": policy, "seed": cfg.seed}
    return own | {"span": cfg.span, "rollout": cfg.rollout.name, "part": cfg.part}


@functools.cache
def _before(cell: Cell) -> tuple[Cell, ...]:
    if cell.stage in ("answer", "evaluate"):
        return (*_before_evaluate(cell), *(_answers(cell) if cell.stage == "evaluate" else ()))
    if cell.stage == "ood":
        return tuple(trained(cell))
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


def _answers(cell: Cell) -> Iterator[Cell]:
    """Yield the parts that a policy's evaluation is split into, none if it is whole."""
    if cell.cfg.parts > 1 and cell.in_graph:
        own = (f"policy={cell.cfg.policy}", f"seed={cell.cfg.seed}")
        yield from (cell.at("answer", *own, f"part={part}") for part in parts_of(cell.cfg.parts))


def parts_of(count: int) -> list[str]:
    """Return the names of so many parts."""
    return [f"{number}-of-{count}" for number in range(1, count + 1)]


def preflight_cells(cell: Cell) -> list[Cell]:
    """Return one check before training for each reward of the grid."""
    seed = f"seed={cell.cfg.grid.seed[0]}"
    return [cell.at("preflight", f"reward={reward}", seed) for reward in cell.cfg.grid.reward]


def gate_cells(cell: Cell) -> list[Cell]:
    """Return the two evaluations that must come out right before any model's counts."""
    return [cell.at("evaluate", f"policy={name}", "seed=0") for name in GATE]


def trained(cell: Cell) -> list[Cell]:
    """Return the training cell of the policy that `cell` judges; empty for base. Raises UserError if unknown."""
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
    """Every evaluation of the grid, training run behind one, and out-of-domain run; hours, funnel, related files."""
    if _without_variant(cell)[0] not in (None, DEFAULT):
        raise UserError("variant is an axis of the grid: name those wanted in grid.variant=[...]")
    runs = [
        (policy, (f"policy={policy}", f"seed={seed}", *([] if name == DEFAULT else [f"{VARIANT}={name}"])))
        for name, policy, seed in itertools.product(cell.cfg.grid.variant, policies(cell.cfg), cell.cfg.grid.seed)
    ]
    models = [cell.at("evaluate", *run) for _, run in runs]
    gates = [gate for model in models or [cell] for gate in gate_cells(model)]
    training = [before for model in models for before in trained(model)]
    asked = ood_policies(cell.cfg)
    ood = [cell.at("ood", *run) for policy, run in runs if policy in asked]
    hours = [before for before in cell.at("crawl").before if before.stage == "archive"]
    every = (*hours, cell.at("curate"), cell.at("relate"), *gates, *models, *training, *ood)
    found: dict[Path, Cell] = {}
    for before in every:
        found.setdefault(before.folder, before)
    return tuple(found.values())


def policies(cfg: DictConfig) -> list[str]:
    """Return the policies of the grid, in the order of the tables."""
    return [*cfg.grid.baselines, *(f"grpo-{reward}" for reward in cfg.grid.reward)]


def ood_policies(cfg: DictConfig) -> list[str]:
    """Return those policies of the grid that also answer the out-of-domain suites. Raises UserError for no policy."""
    known = set(wildcards()["policy"].split("|")).difference(GATE)
    if unknown := [name for name in cfg.grid.ood if name not in known]:
        raise UserError(f"grid.ood: {unknown[0]} is no policy that answers: base, sft, sft-gold or grpo-<reward>")
    return [policy for policy in policies(cfg) if policy in cfg.grid.ood]


def wildcards() -> dict[str, str]:
    """Return the pattern of each wildcard: any option of conf/ and any seed, whether or not the grid has it."""
    sft, rewards, rollouts = (sorted(p.stem for p in (CONF / g).glob("*.yaml")) for g in ("sft", "reward", "rollout"))
    known = [*GATE, "base", "sft", *(f"sft-{name}" for name in sft), *(f"grpo-{name}" for name in rewards)]
    span = r"all|\d{4}-\d{2}"
    return {
        "span": span,
        "part": r"\d+-of-\d+",
        "variant": f"({A_VARIANT})?",
        "sft": "|".join(sft),
        "reward": "|".join(rewards),
        "rollout": "|".join(rollouts),
        "policy": "|".join(known),
        "seed": "[0-9]+",
    }


def under_snakemake() -> bool:
    """Whether this process was started by a Snakemake rule."""
    return "OPENSWERL_SNAKEMAKE" in os.environ
