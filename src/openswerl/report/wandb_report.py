"""The W&B Report as code: the ablation as panels over the runs of the project, and the tables that the report wrote."""

from pathlib import Path
from typing import Any

import wandb_workspaces.expr as expr
import wandb_workspaces.reports.v2 as wr

from openswerl.config import Cell

# What the panels of GRPO show of its metrics.jsonl; paper 3.6 compares rewards by the first.
CURVES = {
    "reward_mean": "Reward",
    "format_rate": "Share of well-formed answers",
    "exact_rate": "Share of exact answers",
    "response_tokens": "Length of answers (tokens)",
    "kl": "KL to the base policy (nats per token)",
    "entropy": "Entropy (nats per token)",
}
SFT_CURVES = {"loss": "SFT: training loss", "eval_loss": "SFT: held-out loss"}
TABLES = {"table1.md": "Table 1", "table2.md": "Table 2", "table3.md": "Table 3", "funnel.md": "Data funnel"}
WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 24, 8, 7  # of W&B's grid


def build(cell: Cell, folder: Path, entity: str) -> wr.Report:
    """Return the report, not yet saved, of a finished report cell; `folder` holds its tables."""
    blocks = [
        wr.TableOfContents(),
        *_tables(folder),
        wr.H1("Rewards compared"),
        wr.P("One line a reward, the mean of its seeds. The second set of runs compares experiments."),
        wr.PanelGrid(runsets=_runs(cell, entity, "grpo", "config.reward.name"), panels=_lines(CURVES)),
        wr.H1("Supervised baselines"),
        wr.PanelGrid(runsets=_runs(cell, entity, "sft", "config.sft.name"), panels=_lines(SFT_CURVES)),
        wr.H1("Resolved instances"),
        wr.PanelGrid(runsets=_runs(cell, entity, "evaluate", "config.policy"), panels=_bars(_rates(cell))),
    ]
    title = f"{cell.cfg.report.title}: {cell.group}"
    said = f"Scale {cell.cfg.scale}, result {cell.digest}. Numbers of a small scale are about that scale."
    return wr.Report(
        project=cell.cfg.tracking.project, entity=entity, title=title, description=said, blocks=blocks, width="fluid"
    )


def _rates(cell: Cell) -> dict[str, str]:
    """Return {metric: title} of the rates of evaluate: Table 2's form, and Agentless Mini where it runs."""
    kinds = [(split, kind) for split in cell.cfg.report.splits for kind in ("greedy", "sample")]
    kinds += [(split, "mini") for split, count in cell.cfg.evaluate.mini.splits.items() if count]
    return {f"{split}/{kind}/resolved_rate": f"{split}, {kind}" for split, kind in kinds}


def _tables(folder: Path) -> list[Any]:
    found = [(title, folder / name) for name, title in TABLES.items() if (folder / name).exists()]
    return [block for title, path in found for block in (wr.H1(title), wr.MarkdownBlock(text=path.read_text()))]


def _runs(cell: Cell, entity: str, stage: str, variant: str) -> list[wr.Runset]:
    """Return the runs of a stage in this experiment, and in all; seeds of one variant go together."""
    project, of_stage = cell.cfg.tracking.project, expr.Metric("JobType") == stage
    here, everywhere = [of_stage, expr.Metric("Group") == cell.group], [of_stage]
    return [
        wr.Runset(entity=entity, project=project, name=cell.group, filters=here, groupby=[variant]),
        wr.Runset(
            entity=entity, project=project, name="all experiments", filters=everywhere, groupby=["group", variant]
        ),
    ]


def _lines(curves: dict[str, str]) -> list[Any]:
    return [
        wr.LinePlot(x="Step", y=[name], title=title, layout=place)
        for (name, title), place in zip(curves.items(), _places(len(curves)), strict=True)
    ]


def _bars(rates: dict[str, str]) -> list[Any]:
    return [
        wr.BarPlot(metrics=[name], title=f"Resolved: {title}", range_x=(0, 1), layout=place)
        for (name, title), place in zip(rates.items(), _places(len(rates)), strict=True)
    ]


def _places(count: int) -> list[wr.Layout]:
    """Return where the panels of a grid are, row by row."""
    row = WIDTH // PANEL_WIDTH
    return [
        wr.Layout(x=i % row * PANEL_WIDTH, y=i // row * PANEL_HEIGHT, w=PANEL_WIDTH, h=PANEL_HEIGHT)
        for i in range(count)
    ]
