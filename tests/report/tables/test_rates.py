"""Frames of rates: their columns and numbers; expected intervals are SciPy's."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import binomtest

from openswerl.report.inputs import gather
from openswerl.report.paired import differences
from openswerl.report.rates import pooled_rows, rate_rows
from openswerl.report.tables import rates as tables
from openswerl.stage import Job


def wilson(k: int, n: int) -> list[float]:
    found = binomtest(k, n).proportion_ci(confidence_level=0.95, method="wilson")
    return [k / n, found.low, found.high]


def table2(job: Job, *decodings: str) -> pd.DataFrame:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    greedy = rate_rows([*inputs.gate, *inputs.evaluations], "greedy", job.cfg.report)
    votes = [row for name in decodings for row in rate_rows(inputs.evaluations, name, job.cfg.report)]
    return tables.table2(greedy, votes, 0.95, "a scale")


def row_of(frame: pd.DataFrame, **wanted: object) -> pd.Series:
    (row,) = [row for _, row in frame.iterrows() if all(row[key] == value for key, value in wanted.items())]
    return row


def test_table2_has_every_policy_with_its_interval_and_the_papers(job: Job) -> None:
    found = table2(job, "vote")
    assert list(found.columns) == list(tables.TABLE2)
    assert len(found[found.decoding == "greedy"]) == 14
    base = row_of(found, policy="base", split="gate", decoding="greedy")
    assert (base.seed, base.n, base.format_rate, base.scale) == ("0", 8, 0.5, "a scale")
    assert [base.resolved_rate, base.resolved_low, base.resolved_high] == pytest.approx(wilson(2, 8))
    printed = [base.paper_resolved_rate, base.paper_resolved_low, base.paper_resolved_high]
    assert printed == pytest.approx(wilson(27, 500)) and base.paper_n == 500
    gold = row_of(found, policy="gold", split="gate")
    assert pd.isna(gold.format_rate) and gold.resolved_rate == 1 and pd.isna(gold.paper_resolved_rate)


def test_table2_has_the_bases_vote_beside_the_papers_and_no_other_vote(job: Job) -> None:
    votes = table2(job, "vote")
    votes = votes[votes.decoding == "vote"]
    assert list(votes.policy) == ["base", "base"]
    assert votes.iloc[0][["paper_format_rate", "paper_resolved_rate"]].to_list() == [0.446, 0.166]


def test_a_number_of_the_paper_stands_alone_where_we_have_none(job: Job) -> None:
    alone = row_of(table2(job), policy="base", decoding="vote")
    assert pd.isna(alone.n) and pd.isna(alone.resolved_rate) and alone.paper_resolved_rate == 0.166


def test_decoding_counts_answers_and_names_its_interval(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    rows = [row for name in ("sample", "vote") for row in rate_rows(inputs.evaluations, name, job.cfg.report)]
    found = tables.decoding(rows)
    sample, vote = (row_of(found, policy="sft", split="gate", decoding=name) for name in ("sample", "vote"))
    assert (sample.n, vote.n) == (16, 8)
    assert (sample.resolved_rate, vote.resolved_rate) == (0.1875, 0.375)
    assert (sample.interval, vote.interval) == ("bootstrap over instances", "Wilson")


def test_paired_leaves_undefined_cells_empty(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    found = tables.paired(differences(inputs, job.cfg.report))
    greedy, sample = found.iloc[0], found[found.decoding == "sample"].iloc[0]
    assert (greedy.difference, greedy.only_policy, greedy.mcnemar_p) == (0.5, 4, 0.125)
    assert pd.isna(sample.only_policy) and pd.isna(sample.mcnemar_p)
    flat = found[(found.measure == "format") & (found.difference == 0)].iloc[0]
    assert pd.isna(flat.low) and pd.isna(flat.high)


def test_the_ablation_holds_each_reward_against_the_continuous_one(job: Job) -> None:
    """Of 8 instances the continuous reward resolves 6, the discrete one 4 of the same; Figure 5 has 29.0 for it."""
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    greedy = list(rate_rows(inputs.evaluations, "greedy", job.cfg.report))
    found = tables.ablation(greedy, list(differences(inputs, job.cfg.report)), 0.95, "a scale")
    assert set(found.policy) == {"grpo-continuous", "grpo-discrete"}
    discrete = row_of(found, policy="grpo-discrete", split="gate")
    assert (discrete.continuous_minus_this, discrete.mcnemar_p) == (0.25, 0.5)
    assert (discrete.paper_resolved_rate, discrete.paper_source) == (0.29, "Figure 5")
    assert pd.isna(row_of(found, policy="grpo-continuous", split="gate").continuous_minus_this)


def test_several_seeds_and_a_variant_have_rows_of_their_own_and_of_all(
    tmp_path: Path, inputs: dict[str, Path], make_job: Callable[..., Job]
) -> None:
    """The second seed is a copy of the first, so the row of all has its rates, on as many instances."""
    folders = dict(inputs)
    for name in [name for name in inputs if name.endswith("seed0")]:
        folders[name.replace("seed0", "seed1")] = shutil.copytree(inputs[name], tmp_path / f"{name}-1")
    for reward, seed in (("continuous", 0), ("continuous", 1), ("discrete", 0), ("discrete", 1)):
        for stage in ("evaluate-grpo", "grpo"):
            folders[f"{stage}-{reward}-seed{seed}@kl"] = folders[f"{stage}-{reward}-seed{seed}"]
    grid = type("Grid", (), {"baselines": ["base"], "reward": ["continuous", "discrete"], "seed": [0, 1]})
    grid.variant = ["default", "kl"]  # type: ignore[attr-defined]
    settings = make_job(tmp_path / "results", folders).cfg.report
    found = gather(folders, grid, settings.splits)
    rows = [*rate_rows(found.evaluations, "greedy", settings), *pooled_rows(found.evaluations, "greedy", settings)]
    ablation = tables.ablation(rows, list(differences(found, settings)), 0.95, "a scale")
    both = pd.concat([tables.table2(rows, [], 0.95, "a scale"), ablation])
    for policy in ("grpo-discrete", "grpo-discrete@kl"):
        own = both[(both.policy == policy) & (both.split == "gate")]
        assert list(own.seed) == ["0", "1", "all"] * 2
        assert set(own.n) == {8} and set(own.resolved_rate) == {0.5}
        assert (
            list(ablation[(ablation.policy == policy) & (ablation.split == "gate")].continuous_minus_this) == [0.25] * 3
        )
