from typing import Any

import pytest

from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.outcomes import metrics, outcome_row, summarise
from openswerl.statistics import wilson


def _row(
    instance: str, status: str, decoding: str = "greedy", reason: str | None = None, split: str = "s"
) -> dict[str, Any]:
    ok = status != "format_error"
    return {
        "instance_id": instance,
        "split": split,
        "decoding": decoding,
        "status": status,
        "reason": reason,
        "format_ok": ok,
    }


def test_a_row_holds_what_the_brief_of_the_stage_says(world: Any) -> None:
    problem = world.problems()[0]
    row = outcome_row(problem, Candidate("greedy", 0, "text", "patch", "key"), Verdict("resolved", None, {"big": 1}))
    assert row == {
        "instance_id": "acme__calc-1", "split": "gate", "decoding": "greedy", "sample": 0, "format_ok": True,
        "status": "resolved", "reason": None, "output": "text", "reward": None,
        "patch_sha": "a4895eb44afc336fecbba6e520cd67e178dace0276655d102fceffa8e5f70570",
    }  # fmt: skip
    row = outcome_row(problem, Candidate("sample", 2, "text", reason="no_blocks"), Verdict("format_error", "no_blocks"))
    assert (row["format_ok"], row["patch_sha"], row["output"], row["sample"]) == (False, None, None, 2)


def test_rates_and_counts_of_one_answer_an_instance() -> None:
    rows = [_row("a", "resolved"), _row("b", "unresolved", reason="touches_tests"), _row("c", "error")]
    rows += [_row("d", "format_error", reason="no_blocks"), _row("e", "resolved", split="t")]
    summary = summarise(rows)
    found = summary["s"]["greedy"]
    assert (found["instances"], found["answers"], found["format_rate"], found["resolved_rate"]) == (4, 4, 0.75, 0.25)
    assert (found["resolved_low"], found["resolved_high"]) == wilson(1, 4, 0.95)
    assert found["statuses"] == {"error": 1, "format_error": 1, "resolved": 1, "unresolved": 1}
    assert found["reasons"] == {"no_blocks": 1, "touches_tests": 1}
    assert summary["t"]["greedy"]["resolved_rate"] == 1.0 and list(summary) == ["s", "t"]


def test_samples_are_averaged_and_their_interval_counts_instances() -> None:
    statuses = {"a": ["resolved", "unresolved", "unresolved"], "b": ["resolved", "resolved", "format_error"]}
    rows = [_row(name, status, "sample") for name, group in statuses.items() for status in group]
    found = summarise(rows)["s"]["sample"]
    assert found["resolved_rate"] == pytest.approx(0.5) and found["format_rate"] == pytest.approx(5 / 6)
    assert (found["resolved_low"], found["resolved_high"]) == pytest.approx(wilson(1, 2, 0.95))
    # one of three right: 1/3, 2/3, 1; two of three: 2/3, 1, 1
    assert list(found["pass_at_k"].values()) == pytest.approx([1 / 2, 5 / 6, 1.0])


def test_metrics_are_one_flat_row() -> None:
    row = metrics(summarise([_row("a", "resolved"), _row("a", "resolved", "vote")]))
    assert row["step"] == 0 and row["s/greedy/resolved_rate"] == row["s/vote/resolved_rate"] == 1.0
    assert all(isinstance(value, (int, float)) for value in row.values())
