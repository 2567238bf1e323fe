"""Agentless Mini's frames: ours first, then every system of the paper."""

import pandas as pd
import pytest
from scipy.stats import binomtest

from openswerl.report.inputs import gather
from openswerl.report.rates import rate_rows
from openswerl.report.tables.mini import SCALING, TABLE1, scaling, table1
from openswerl.stage import Job


@pytest.fixture
def made(finished_mini: Job) -> pd.DataFrame:
    job = finished_mini
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    return table1(rate_rows(inputs.evaluations, "mini", job.cfg.report), inputs, 0.95, "a scale")


def test_table_1_has_the_18_systems_of_the_paper_below_ours(made: pd.DataFrame) -> None:
    assert list(made.columns) == list(TABLE1)
    ours, paper = made[made.source == "this run"], made[made.source == "Table 1"]
    assert (len(ours), len(paper)) == (5, 18) and list(made.index[-18:]) == list(paper.index)
    assert set(ours.scale) == {"a scale"} and set(paper.scale) == {"paper: SWE-bench Verified"}
    assert paper.policy.isna().all() and paper.group.value_counts().to_dict() == {
        "closed or far above 100B": 10,
        "at most 100B": 8,
    }


def test_a_system_has_the_interval_of_its_instances_if_they_are_whole(made: pd.DataFrame) -> None:
    systems = made.set_index(["system", "scaffold"])
    rl = systems.loc["Llama3-SWE-RL-70B", "Agentless Mini"]
    expected = binomtest(205, 500).proportion_ci(confidence_level=0.95, method="wilson")
    assert (rl.n, rl.resolved_rate) == (500, 0.41)
    assert (rl.resolved_low, rl.resolved_high) == pytest.approx((expected.low, expected.high))
    o1 = systems.loc["o1-preview", "Agentless"]
    assert o1.resolved_rate == pytest.approx(0.413) and pd.isna(o1.n) and pd.isna(o1.resolved_low)


def test_scaling_ends_with_the_curves_of_figure_4(finished_mini: Job) -> None:
    job = finished_mini
    found = scaling(gather(job.inputs, job.cfg.grid, job.cfg.report.splits), 0.95, "a scale")
    assert list(found.columns) == list(SCALING)
    paper = found[found.source == "Figure 4"]
    assert list(paper.k) == [20, 40, 80, 160, 320, 500, 1, 5, 10, 20, 30]
    assert paper.iloc[5].resolved_rate == paper.iloc[-1].resolved_rate == 0.41
    assert set(found[found.source == "this run"].policy) >= {"base", "sft"}
