"""The page: one HTML file without outside references; its one script is named by hash in the page's own policy."""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from openswerl.report import labels, mini, paper, prose
from openswerl.report.editing import EditRow
from openswerl.report.figures import svg
from openswerl.report.inputs import Inputs
from openswerl.report.page import samples
from openswerl.report.page.environment import environment
from openswerl.report.page.explorer import MARKS, Sample, start
from openswerl.report.page.frames import frames
from openswerl.report.paired import MAIN, Difference
from openswerl.report.provenance import Provenance
from openswerl.report.rates import RateRow
from openswerl.report.rows import QualityRow
from openswerl.report.tables.collect import Rows
from openswerl.report.tables.table import Table
from openswerl.stages import DEFAULT

DECODINGS = ("greedy", "sample")
TIDY = "tidy"  # the variant of a run on untidy oracles


@dataclass(frozen=True)
class Content:
    """What the page is made of; `figures` are by their names."""

    cfg: Any
    digest: str
    rows: Rows
    tables: list[Table]
    figures: Mapping[str, svg.Drawing]
    explorer: list[Sample]
    provenance: Provenance


def render(content: Content) -> str:
    """Return the HTML document."""
    own = environment()
    script = own.get_template("script.js.j2").render()
    policy = f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
    page = own.get_template("page.html.j2")
    return page.render(context(content), script=Markup(script), script_hash=policy)


def context(content: Content) -> dict[str, Any]:
    """Return the variables of the template."""
    cfg, rows, inputs = content.cfg, content.rows, content.rows.inputs
    settings = cfg.report
    splits = list(settings.splits)
    return {
        "title": settings.title,
        "settings": settings,
        "smoke": cfg.scale == "smoke",
        "remarks": prose.remarks(cfg.scale, settings, inputs),
        "lead": prose.what_was_run(inputs, settings),
        "prose": prose,
        "headline": prose.headline(rows.paired),
        "confidence": f"{100 * settings.confidence:g}\u202f%",
        "sandbox": inputs.sandbox,
        "splits": splits,
        "seeds": inputs.seeds,
        "pooled": any(row.seed == "all" for row in rows.greedy),
        "gate": prose.gate(inputs),
        "table2": table_rows(rows.greedy, lambda row: row.split),
        "paper": paper,
        "decoding": table_rows(_first_split(rows, splits[0]), lambda row: row.decoding),
        "decodings": list(dict.fromkeys(row.decoding for row in _first_split(rows, splits[0]))),
        "pairs": pair_rows(rows.paired),
        "edits": edited(rows, splits[0]),
        "ablation": [prose.find(rows.paired, MAIN, "grpo-discrete", d) for d in DECODINGS],
        "exact": prose.exact_sentence(inputs),
        "figures": svg.inlined(content.figures),
        "trainings": inputs.trainings,
        "funnel": inputs.funnel,
        "funnel_top": max(1, *(row.left + row.dropped for row in inputs.funnel)),
        "quality": quality_rows(inputs.quality),
        "months": inputs.months,
        "demonstrations": inputs.demonstrations,
        "labels": labels,
        **failures(inputs, splits[0]),
        **agentless(rows, splits[0]),
        "ood": rows.ood,
        "ood_pairs": rows.ood_paired,
        "frames": frames(content.tables),
        **answers(content),
        **origin(content),
    }


def answers(content: Content) -> dict[str, Any]:
    """Return what is shown of single answers: the explorer and the rollouts of training."""
    shown = content.cfg.report.shown_samples
    return {
        "explorer": content.explorer,
        "answer_marks": MARKS,
        "start": start(content.explorer),
        "shelves": [(run, samples.shelves(run.rollouts, shown)) for run in first_seed(content.rows.inputs)],
    }


def origin(content: Content) -> dict[str, Any]:
    """Return where the numbers come from and how to make them again."""
    return {
        "card": content.rows.card,
        "sources": dict(Counter(row.mark.source for row in content.rows.card).most_common()),
        "provenance": content.provenance,
        "digests": content.rows.inputs.digests,
        "digest": content.digest,
        "scale": content.cfg.scale,
        "overrides": overrides(content.cfg),
        "sibling": overrides(content.cfg, untidy=not content.cfg.report.untidy),
        "with_tidy": TIDY in content.cfg.grid.variant,
    }


def edited(rows: Rows, split: str) -> list[EditRow]:
    """Return the rows of a split on files edited, policy by policy: of each seed, then of all."""
    order = list(dict.fromkeys(item.policy for item in rows.inputs.evaluations))
    return sorted((row for row in rows.edits if row.split == split), key=lambda row: order.index(row.policy))


def failures(inputs: Inputs, split: str) -> dict[str, Any]:
    """Return the causes of failure and the groups of instances, of greedy answers and of Agentless Mini's choices."""
    tables = [mini.causes(inputs, decoding, split) for decoding in labels.DECODINGS]
    groups = [table for decoding in labels.DECODINGS for table in mini.groups(inputs, decoding, split)]
    return {"causes": [table for table in tables if table], "groups": groups}


def agentless(rows: Rows, split: str) -> dict[str, Any]:
    """Return what the section on Agentless Mini shows; `table1` is empty where it did not run."""
    full = [row for row in rows.chosen if row.decoding == "mini"]
    own = [row for row in rows.chosen if row.split == split]
    steps = mini.steps(rows.inputs, split)
    return {
        "table1": table_rows(full, lambda row: row.split),
        "mini_splits": list(dict.fromkeys(row.split for row in full)),
        "choices": table_rows(own, lambda row: row.decoding),
        "rerank": {(row.policy, row.seed, row.against): row for row in rows.rerank if row.split == split},
        "steps": steps,
        "located": [(item, found.localisation) for item, found in steps if found.localisation],
        "bounds": {(i.policy, i.seed): list(found.pass_at_k.values())[-1] for i, found in steps if found.pass_at_k},
        "executed": prose.executed(rows.inputs),
    }


@dataclass(frozen=True)
class TableRow:
    """One printed row: a policy under one seed, its rates by column, and the paper's counterpart."""

    policy: str
    seed: int | str
    cells: Mapping[str, RateRow]
    printed: paper.PaperRow | None


def table_rows(rows: Iterable[RateRow], column: Callable[[RateRow], str]) -> list[TableRow]:
    """Gather the rates of a policy and seed into one row, in their first order."""
    found: dict[tuple[str, int | str], dict[str, RateRow]] = {}
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


def _first_split(rows: Rows, split: str) -> list[RateRow]:
    """Return the models' rates on the first split in every decoding."""
    return [r for r in [*rows.greedy, *rows.others] if r.split == split and not labels.is_gate(r.policy)]
