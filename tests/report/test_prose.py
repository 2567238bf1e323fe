from dataclasses import replace
from types import SimpleNamespace

import pytest

from openswerl.report import prose
from openswerl.report.inputs import Evaluation, gather
from openswerl.report.paired import Difference
from openswerl.stage import Job

AHEAD = Difference(
    *("grpo-continuous", "grpo-discrete", "resolved", "greedy", "gate", 0, 128, 0.8, 0.5, (0.2, 0.4), 0.95, 40, 2, 1e-9)
)
BEHIND = replace(AHEAD, rate=0.5, rate_against=0.8, interval=(-0.4, -0.2))
LEVEL = replace(AHEAD, rate=0.6, interval=(-0.05, 0.25), p=0.2)


@pytest.mark.parametrize(
    ("row", "order", "verdict"),
    [
        (AHEAD, "the continuous reward is ahead, which is the paper’s order", "GRPO continuous is ahead."),
        (BEHIND, "the discrete reward is ahead, the reverse of the paper’s order", "GRPO discrete is ahead."),
        (LEVEL, "no order can be claimed", "These instances do not tell the two apart."),
        (replace(AHEAD, p=0.06), "no order can be claimed", "These instances do not tell the two apart."),
        (replace(AHEAD, interval=None), "no order can be claimed", "These instances do not tell the two apart."),
    ],
)
def test_words_follow_the_numbers(row: Difference, order: str, verdict: str) -> None:
    assert order in prose.order(row)
    assert prose.verdict(row) == verdict


def test_a_comparison_names_rates_interval_test_and_size() -> None:
    text = prose.ablation(BEHIND).replace("\u202f", " ")
    assert text == (
        "GRPO continuous against GRPO discrete: 50.0 against 80.0 % resolved, −30.0 points "
        "(95 % interval −40.0 to −20.0, exact McNemar p < 0.001, n = 128)."
    )


def test_the_papers_gap_is_from_its_numbers() -> None:
    assert "34.8 against 29.0\u202f%, +5.8 points on 500 instances" in prose.paper_order()


def test_remarks_say_scale_smoke_and_missing_isolation(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    settings = job.cfg.report
    assert prose.remarks("laptop", settings, inputs) == [prose.LAPTOP]
    assert prose.remarks("smoke", settings, inputs) == [prose.LAPTOP, prose.SMOKE]
    loose = replace(inputs, gate=[replace(item, sandbox="process") for item in inputs.gate])
    assert prose.remarks("laptop", settings, loose) == [prose.LAPTOP, prose.PROCESS]
    verified = SimpleNamespace(benchmark="verified")
    assert prose.remarks("node8", verified, inputs) == ["node8 scale, benchmark verified"]


def test_a_broken_gate_is_said(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    assert prose.gate(inputs) == "Gold patches resolve 12 of 12 instances; the unchanged code resolves 0."
    gold, _ = inputs.gate
    broken = replace(inputs, gate=[gold, Evaluation("none", 0, "bubblewrap", gold.outcomes)])
    assert "resolves 12. The gate does not hold" in prose.gate(broken)


def test_what_was_run_counts_the_inputs(job: Job) -> None:
    text = prose.what_was_run(gather(job.inputs, job.cfg.grid, job.cfg.report.splits), job.cfg.report)
    assert "3 steps with the continuous reward and 3 steps with the discrete reward" in text
    assert "8 of the gate split and 4 of the unseen-template split" in text
    assert text.endswith("Seed 0.")


def test_exact_matches_are_counted_at_the_end_of_training(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    text = prose.exact_sentence(inputs).replace("\u202f", " ")
    assert text.endswith("25.0 % with the continuous reward and 0.0 % with the discrete reward.")
    continuous, discrete = inputs.trainings
    seeds = [continuous, replace(discrete, reward="continuous", seed=1), replace(continuous, reward="continuous@tidy")]
    text = prose.exact_sentence(replace(inputs, trainings=seeds)).replace("\u202f", " ")
    assert text.endswith("12.5 % with the continuous reward and 25.0 % with the continuous reward (tidy).")
    assert prose.exact_sentence(replace(inputs, trainings=[])) == ""
