"""Which cells come before a cell: the chain of the data, the training behind a policy, the grid behind a report."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from openswerl.archive.spans import spans
from openswerl.compose import CONF
from openswerl.errors import UserError
from openswerl.stages import A_VARIANT, DATA_STAGES, DEFAULT, GATE, MODES, VARIANT

if TYPE_CHECKING:
    from openswerl.config import Cell


@functools.cache
def before_of(cell: Cell) -> tuple[Cell, ...]:
    """Return the cells whose results a cell reads."""
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
    """Every evaluation of the grid, its world, training run behind one, and out-of-domain run; the data's tables."""
    if cell.chosen_variant not in (None, DEFAULT):
        raise UserError("variant is an axis of the grid: name those wanted in grid.variant=[...]")
    runs = [
        (policy, (f"policy={policy}", f"seed={seed}", *([] if name == DEFAULT else [f"{VARIANT}={name}"])))
        for name, policy, seed in itertools.product(cell.cfg.grid.variant, policies(cell.cfg), cell.cfg.grid.seed)
    ]
    models = [cell.at("evaluate", *run) for _, run in runs]
    gates = [gate for model in models or [cell] for gate in gate_cells(model)]
    worlds = [before for model in models for before in model.before if before.stage == "laptop"]
    training = [before for model in models for before in trained(model)]
    asked = ood_policies(cell.cfg)
    ood = [cell.at("ood", *run) for policy, run in runs if policy in asked]
    hours = [before for before in cell.at("crawl").before if before.stage == "archive"]
    every = (*hours, cell.at("curate"), cell.at("relate"), *worlds, *gates, *models, *training, *ood)
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


def report_tables(cfg: DictConfig) -> list[str]:
    """Return the tables of the report that are outputs of its rule, by the names of their files."""
    mini = ["table1"] if any(cfg.evaluate.mini.splits.values()) else []
    ood = ["table3"] if ood_policies(cfg) else []
    return [*mini, "table2", *ood, "paired", "ablation", "causes", "zero_variance"]


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
