"""Causes of failure as a frame; expected intervals are SciPy's, and a bootstrap's is held to the normal one."""

from types import SimpleNamespace

import pytest
from scipy.stats import binomtest

from openswerl.report.inputs import Evaluation, gather
from openswerl.report.rows import Outcome
from openswerl.report.tables.failures import CAUSES, causes
from openswerl.stage import Job

SETTINGS = SimpleNamespace(confidence=0.95, resamples=4000, bootstrap_seed=0, splits={"gate": 1})


def evaluation(seed: int, solved: set[int], n: int = 40) -> Evaluation:
    statuses = [("resolved", "resolved") if k in solved else ("unresolved", "not_fixed") for k in range(n)]
    rows = [Outcome(f"i{k}", "gate", "greedy", 0, True, *status) for k, status in enumerate(statuses)]
    return Evaluation("base", seed, "bubblewrap", rows)


def test_every_answer_has_one_cause_and_shares_have_intervals(finished_mini: Job) -> None:
    job = finished_mini
    found = causes(gather(job.inputs, job.cfg.grid, job.cfg.report.splits), job.cfg.report)
    assert list(found.columns) == list(CAUSES)
    sums = found.groupby(["policy", "split", "seed", "decoding"])[["answers", "share"]].sum()
    sizes = found.groupby(["policy", "split", "seed", "decoding"])["n"].first()
    assert list(sums.answers) == list(sizes) and list(sums.share) == pytest.approx([1.0] * len(sums))
    row = found[(found.policy == "base") & (found.decoding == "mini") & (found.cause == "infrastructure")].iloc[0]
    expected = binomtest(1, 8).proportion_ci(confidence_level=0.95, method="wilson")
    assert (row.answers, row.n, row.judged) == (1, 8, False)
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))


def test_several_seeds_have_a_row_over_instances() -> None:
    """Two seeds solve 10 and 20 of 40, the first 10 in both: means are 1, 1/2 and 0, their variance 0.171875."""
    inputs = SimpleNamespace(evaluations=[evaluation(0, set(range(10))), evaluation(1, set(range(20)))])
    found = causes(inputs, SETTINGS)  # type: ignore[arg-type]
    found = found[found.cause == "resolved"].set_index("seed")
    assert list(found.index) == ["0", "1", "all"]
    every = found.loc["all"]
    assert (every.answers, every.n, every.share) == (30, 40, 0.375)
    half = 1.96 * (0.171875 / 40) ** 0.5
    assert (every.low, every.high) == pytest.approx((0.375 - half, 0.375 + half), abs=0.02)
    assert list(found.interval) == ["Wilson", "Wilson", "bootstrap over instances"]
