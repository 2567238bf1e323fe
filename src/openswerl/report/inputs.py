"""Gather what the report reads, and refuse inputs that do not belong together."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openswerl.archive.coverage import Hour, Month, by_month
from openswerl.errors import UserError
from openswerl.report.checks import check_evaluations
from openswerl.report.evaluated import Breakdown, Evaluated, Mini
from openswerl.report.rows import (
    Demonstrations,
    FunnelRow,
    Outcome,
    QualityRow,
    Rollout,
    Step,
    read_document,
    read_funnel,
    read_lines,
    read_table,
)
from openswerl.stages import DEFAULT, GATE


@dataclass(frozen=True)
class Evaluation:
    """The outcomes of one policy under one seed, what ran its patches (`sandbox`), and what its result sums up.

    A policy that is another one in a variant is named `<policy>@<variant>`.
    `mini` is None where Agentless Mini did not run.
    """

    policy: str
    seed: int
    sandbox: str
    outcomes: list[Outcome]
    mini: Mini | None = None
    breakdown: Breakdown = field(default_factory=dict)

    def select(self, decoding: str, split: str) -> list[Outcome]:
        """Return the outcomes of one decoding on one split."""
        return [row for row in self.outcomes if row.decoding == decoding and row.split == split]


@dataclass(frozen=True)
class Training:
    """One GRPO run; the reward is named as `Evaluation` names a policy."""

    reward: str
    seed: int
    steps: list[Step]
    rollouts: list[Rollout]


@dataclass(frozen=True)
class Inputs:
    """All that the report shows. `demonstrations` is keyed by seed, `digests` by input name."""

    evaluations: list[Evaluation]
    gate: list[Evaluation]
    trainings: list[Training]
    demonstrations: dict[int, Demonstrations]
    funnel: list[FunnelRow]
    quality: list[QualityRow]
    months: list[Month]
    digests: dict[str, str]

    @property
    def sandbox(self) -> str:
        """The sandbox kinds behind the numbers, in one phrase."""
        return " and ".join(sorted({item.sandbox for item in self.evaluations + self.gate}))

    @property
    def leaks(self) -> bool:
        """Whether regression tests of Agentless Mini were chosen by the file names of the hidden tests."""
        return any(item.mini is not None and item.mini.selection != "honest" for item in self.evaluations)

    @property
    def seeds(self) -> list[int]:
        """The seeds of the grid."""
        return sorted({item.seed for item in self.evaluations})


def gather(folders: Mapping[str, Path], grid: Any, splits: Mapping[str, int]) -> Inputs:
    """Read every input of the grid. Raises UserError naming the input that is missing or does not fit the others."""
    policies = [*grid.baselines, *(f"grpo-{reward}" for reward in grid.reward)]
    evaluations = [_evaluation(folders, *cell) for cell in cells_of(folders, "evaluate", policies, grid)]
    gates = (label for name in GATE for label in _labels(folders, "evaluate", name, 0, grid.variant))
    gate = [_evaluation(folders, label, 0) for label in gates]
    check_evaluations(evaluations, gate, set(splits))
    trainings = [_training(folders, *cell) for cell in cells_of(folders, "grpo", grid.reward, grid)]
    demonstrations = {
        seed: read_document(folder_of(folders, f"sft-paper-seed{seed}") / "demonstrations.json", Demonstrations)
        for seed in (grid.seed if "sft" in grid.baselines else [])
    }
    funnel = read_funnel(folder_of(folders, "curate") / "funnel.csv")
    quality = read_table(folder_of(folders, "relate") / "quality.csv", QualityRow)
    hours = [folder for name, folder in folders.items() if name.startswith("archive-")]
    months = by_month(row for folder in hours for row in read_table(folder / "coverage.csv", Hour))
    digests = {name: str(_result(folder)["digest"]) for name, folder in sorted(folders.items())}
    return Inputs(evaluations, gate, trainings, demonstrations, funnel, quality, months, digests)


def cells_of(folders: Mapping[str, Path], stage: str, names: Sequence[str], grid: Any) -> list[tuple[str, int]]:
    """Return policies or rewards with their seeds, each followed by what is another result in a variant."""
    labels = (label for name in names for label in _labels(folders, stage, name, grid.seed[0], grid.variant))
    return [*itertools.product(labels, grid.seed)]


def _labels(folders: Mapping[str, Path], stage: str, name: str, seed: int, variants: Sequence[str]) -> list[str]:
    """Return `name` and `name@variant`: those that are results of their own, and `name` where a variant is none."""
    own = [f"{name}@{variant}" for variant in variants if input_name(stage, f"{name}@{variant}", seed) in folders]
    plain = DEFAULT in variants or len(own) < len(variants)
    return ([name] if plain else []) + own


def by_label(trainings: Sequence[Training]) -> dict[str, list[Training]]:
    """Return the seeds of each reward and variant, in their first order."""
    found: dict[str, list[Training]] = {}
    for run in trainings:
        found.setdefault(run.reward, []).append(run)
    return found


def input_name(stage: str, label: str, seed: int) -> str:
    """Return the name of the input of a policy or reward, whose variant comes last."""
    name, at, variant = label.partition("@")
    return f"{stage}-{name}-seed{seed}{at}{variant}"


def _evaluation(folders: Mapping[str, Path], policy: str, seed: int) -> Evaluation:
    folder = folder_of(folders, input_name("evaluate", policy, seed))
    result = read_document(folder / "result.json", Evaluated)
    if result.sandbox is None:
        raise UserError(f"{folder / 'result.json'} does not name its sandbox; evaluate {policy} again")
    outcomes = read_lines(folder / "outcomes.jsonl", Outcome)
    place = executed_in(result.backend, result.sandbox)
    return Evaluation(policy, seed, place, outcomes, result.mini, result.breakdown)


def executed_in(backend: str, sandbox: str) -> str:
    """Return what ran the tests, in one phrase; a container's own walls are not our sandbox."""
    if backend == "laptop":
        return sandbox
    return f"local {sandbox}" if backend == "local" else backend


def _training(folders: Mapping[str, Path], reward: str, seed: int) -> Training:
    folder = folder_of(folders, input_name("grpo", reward, seed))
    steps, rollouts = read_lines(folder / "metrics.jsonl", Step), read_lines(folder / "rollouts.jsonl", Rollout)
    if not {row.step for row in rollouts} <= {row.step for row in steps}:
        raise UserError(f"{folder}: rollouts.jsonl has steps that metrics.jsonl lacks; train it again")
    return Training(reward, seed, steps, rollouts)


def folder_of(folders: Mapping[str, Path], name: str) -> Path:
    """Return the folder of an input. Raises UserError if the grid has no such one."""
    if name not in folders:
        raise UserError(f"report: the grid asks for {name}, which is not among the inputs ({', '.join(folders)})")
    return folders[name]


def _result(folder: Path) -> dict[str, Any]:
    result = read_document(folder / "result.json", dict[str, Any])
    if "digest" not in result:
        raise UserError(f"{folder / 'result.json'} has no digest; remake it")
    return result
