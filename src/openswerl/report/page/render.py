"""The page: one HTML file without scripts and without outside references."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from openswerl.report import labels, mini, paper, prose
from openswerl.report.card import CardRow
from openswerl.report.editing import edit_rows
from openswerl.report.figures import svg
from openswerl.report.inputs import Inputs
from openswerl.report.ood import Ood
from openswerl.report.page import samples
from openswerl.report.paired import MAIN, Difference
from openswerl.report.rates import RateRow
from openswerl.report.rows import QualityRow
from openswerl.stages import DEFAULT

PACKAGES = ("open-swe-rl", "torch", "transformers", "deepspeed", "swebench", "snakemake", "hydra-core", "matplotlib")
DECODINGS = ("greedy", "sample")


@dataclass(frozen=True)
class Content:
    """What the page is made of; `figures` are by their names."""

    cfg: Any
    digest: str
    inputs: Inputs
    greedy: list[RateRow]
    others: list[RateRow]
    differences: list[Difference]
    figures: Mapping[str, svg.Drawing]
    card: list[CardRow]
    mini: list[RateRow]
    rerank: list[Difference]
    ood: list[Ood] = field(default_factory=list)
    ood_pairs: list[Difference] = field(default_factory=list)


def render(content: Content) -> str:
    """Return the HTML document."""
    return environment().get_template("page.html.j2").render(context(content))


def environment() -> Environment:
    """Return a Jinja environment that escapes every value and makes control characters visible first."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "percent": labels.percent,
        "points": labels.points,
        "policy": labels.policy,
        "is_gate": labels.is_gate,
    }
    found.filters |= {
        "split": labels.split,
        "note": labels.note,
        "split_note": labels.split_note,
        "capital": labels.capital,
        "reward": labels.reward,
    }
    found.filters |= {"lines": samples.lines, "predictor": labels.predictor}
    return found


def _finalize(value: object) -> object:
    return samples.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def context(content: Content) -> dict[str, Any]:
    """Return the variables of the template."""
    cfg, inputs = content.cfg, content.inputs
    settings = cfg.report
    splits = list(settings.splits)
    return {
        "title": settings.title,
        "settings": settings,
        "smoke": cfg.scale == "smoke",
        "remarks": prose.remarks(cfg.scale, settings, inputs),
        "lead": prose.what_was_run(inputs, settings),
        "prose": prose,
        "headline": prose.headline(content.differences),
        "confidence": f"{100 * settings.confidence:g}\u202f%",
        "sandbox": inputs.sandbox,
        "splits": splits,
        "seeds": inputs.seeds,
        "gate": prose.gate(inputs),
        "table2": table_rows(content.greedy, lambda row: row.split),
        "paper": paper,
        "decoding": table_rows(_first_split(content, splits[0]), lambda row: row.decoding),
        "decodings": list(dict.fromkeys(row.decoding for row in _first_split(content, splits[0]))),
        "pairs": pair_rows(content.differences),
        "edits": [row for row in edit_rows(inputs.evaluations, settings) if row.split == splits[0]],
        "ablation": [prose.find(content.differences, MAIN, "grpo-discrete", d) for d in DECODINGS],
        "exact": prose.exact_sentence(inputs),
        "figures": svg.inlined(content.figures),
        "trainings": inputs.trainings,
        "funnel": inputs.funnel,
        "funnel_top": max(1, *(row.left + row.dropped for row in inputs.funnel)),
        "quality": quality_rows(inputs.quality),
        "months": inputs.months,
        "demonstrations": inputs.demonstrations,
        "shelves": [(run, samples.shelves(run.rollouts, settings.shown_samples)) for run in first_seed(inputs)],
        "answers": samples.one_instance(inputs.evaluations, splits[0]),
        "card": content.card,
        "labels": labels,
        **failures(inputs, splits[0]),
        **agentless(content, splits[0]),
        "ood": content.ood,
        "ood_pairs": content.ood_pairs,
        "digests": inputs.digests,
        "digest": content.digest,
        "scale": cfg.scale,
        "overrides": overrides(cfg),
        "sibling": overrides(cfg, untidy=not settings.untidy),
        "versions": versions(),
    }


def failures(inputs: Inputs, split: str) -> dict[str, Any]:
    """Return the causes of failure and the groups of instances, of greedy answers and of Agentless Mini's choices."""
    tables = [mini.causes(inputs, decoding, split) for decoding in labels.DECODINGS]
    groups = [table for decoding in labels.DECODINGS for table in mini.groups(inputs, decoding, split)]
    return {"causes": [table for table in tables if table], "groups": groups}


def agentless(content: Content, split: str) -> dict[str, Any]:
    """Return what the section on Agentless Mini shows; `table1` is empty where it did not run."""
    full = [row for row in content.mini if row.decoding == "mini"]
    own = [row for row in content.mini if row.split == split]
    steps = mini.steps(content.inputs, split)
    return {
        "table1": table_rows(full, lambda row: row.split),
        "mini_splits": list(dict.fromkeys(row.split for row in full)),
        "choices": table_rows(own, lambda row: row.decoding),
        "rerank": {(row.policy, row.seed, row.against): row for row in content.rerank if row.split == split},
        "steps": steps,
        "located": [(item, found.localisation) for item, found in steps if found.localisation],
        "bounds": {(i.policy, i.seed): list(found.pass_at_k.values())[-1] for i, found in steps if found.pass_at_k},
        "executed": prose.executed(content.inputs),
    }


@dataclass(frozen=True)
class TableRow:
    """One printed row: a policy under one seed, its rates by column, and the paper's counterpart."""

    policy: str
    seed: int
    cells: Mapping[str, RateRow]
    printed: paper.PaperRow | None


def table_rows(rows: Iterable[RateRow], column: Callable[[RateRow], str]) -> list[TableRow]:
    """Gather the rates of a policy and seed into one row, in their first order."""
    found: dict[tuple[str, int], dict[str, RateRow]] = {}
    for row in rows:
        found.setdefault((row.policy, row.seed), {})[column(row)] = row
    return [TableRow(*key, cells, paper.ROWS.get(key[0])) for key, cells in found.items()]


def pair_rows(rows: Iterable[Difference]) -> list[dict[str, Difference]]:
    """Gather the resolve-rate differences of a pair and seed into one row, keyed by decoding."""
    found: dict[tuple[str, str, int | str], dict[str, Difference]] = {}
    for row in rows:
        if row.measure == "resolved":
            found.setdefault((row.policy, row.against, row.seed), {})[row.decoding] = row
    return list(found.values())


def quality_rows(rows: Iterable[QualityRow]) -> dict[str, list[QualityRow]]:
    """Gather the rows of each predictor of related files, by k."""
    found: dict[str, list[QualityRow]] = {}
    for row in rows:
        found.setdefault(row.predictor, []).append(row)
    return found


def first_seed(inputs: Inputs) -> list[Any]:
    """Return the GRPO runs of the first seed."""
    return [run for run in inputs.trainings if run.seed == inputs.seeds[0]]


def overrides(cfg: Any, *, untidy: bool | None = None) -> str:
    """Return the Hydra overrides that name this run besides its scale; `untidy` names its sibling's oracles."""
    lists = {"grid.seed": cfg.grid.seed, "grid.reward": cfg.grid.reward, "grid.baselines": cfg.grid.baselines}
    lists |= {"grid.ood": cfg.grid.ood}
    lists |= {"grid.variant": cfg.grid.variant} if [*cfg.grid.variant] != [DEFAULT] else {}
    parts = [f"{key}=[{','.join(map(str, value))}]" for key, value in lists.items()]
    chosen = cfg.report.untidy if untidy is None else untidy
    return " ".join([*parts, *([f"data.world.untidy={str(chosen).lower()}"] if cfg.report.source == "laptop" else [])])


def versions() -> dict[str, str]:
    """Return the versions that are installed where the page is made."""
    return {"python": sys.version.split()[0]} | {name: metadata.version(name) for name in PACKAGES}


def _first_split(content: Content, split: str) -> list[RateRow]:
    """Return the models' rates on the first split in every decoding."""
    return [r for r in [*content.greedy, *content.others] if r.split == split and not labels.is_gate(r.policy)]
