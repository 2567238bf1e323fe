from typing import Any

import pytest

from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.results.outcomes import mark_invalid, metrics, outcome_row, summarise
from openswerl.evaluate.results.taxonomy import cause
from openswerl.statistics import wilson


def _row(
    instance: str, status: str, decoding: str = "greedy", reason: str | None = None, split: str = "s"
) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "split": split,
        "decoding": decoding,
        "status": status,
        "reason": reason,
        "cause": cause(status, reason, None, None),
        "format_ok": status != "format_error",
    }


def _report(f2p: list[str], p2p: list[str]) -> dict[str, Any]:
    tests = {"FAIL_TO_PASS": {"success": ["a"], "failure": f2p}, "PASS_TO_PASS": {"success": [], "failure": p2p}}
    return {"acme__calc-1": {"resolved": not f2p + p2p, "tests_status": tests}}


def test_a_row_holds_what_the_brief_of_the_stage_says(world: Any) -> None:
    problem = world.problems()[0]
    verdict = Verdict("resolved", None, _report([], []))
    row = outcome_row(problem, Candidate("greedy", 0, "text", "patch", "key"), verdict)
    assert row == {
        "instance_id": "acme__calc-1", "split": "gate", "decoding": "greedy", "sample": 0, "format_ok": True,
        "status": "resolved", "reason": None, "cause": "resolved", "f2p_failed": 0, "p2p_failed": 0,
        "output": "text", "reward": None, "files_changed": 0, "files_extra": 0,
        "patch_sha": "a4895eb44afc336fecbba6e520cd67e178dace0276655d102fceffa8e5f70570",
    }  # fmt: skip
    row = outcome_row(problem, Candidate("sample", 2, "text", reason="no_blocks"), Verdict("format_error", "no_blocks"))
    assert (row["format_ok"], row["patch_sha"], row["output"], row["sample"]) == (False, None, None, 2)
    assert (row["cause"], row["f2p_failed"]) == ("bad_format", None)


def test_the_cause_is_from_the_official_report_and_the_localisation(world: Any) -> None:
    problem, answer = world.problems()[0], Candidate("greedy", 0, "text", "patch", "key")
    verdict = Verdict("unresolved", None, _report(["b"], ["c", "d"]))
    row = outcome_row(problem, answer, verdict, localised=True)
    assert (row["cause"], row["f2p_failed"], row["p2p_failed"]) == ("breaks_tests", 1, 2)
    assert outcome_row(problem, answer, verdict, localised=False)["cause"] == "not_localised"


def test_rates_and_counts_of_one_answer_an_instance() -> None:
    rows = [_row("a", "resolved"), _row("b", "unresolved", reason="touches_tests"), _row("c", "error")]
    rows += [_row("d", "format_error", reason="no_blocks"), _row("e", "resolved", split="t")]
    summary = summarise(rows)
    found = summary["s"]["greedy"]
    assert (found["instances"], found["answers"], found["format_rate"], found["resolved_rate"]) == (4, 4, 0.75, 0.25)
    assert (found["not_judged"], found["answers_not_judged"]) == (0, 0)
    assert (found["resolved_low"], found["resolved_high"]) == wilson(1, 4, 0.95)
    assert found["statuses"] == {"error": 1, "format_error": 1, "resolved": 1, "unresolved": 1}
    assert found["reasons"] == {"no_blocks": 1, "touches_tests": 1}
    assert found["causes"] == {"bad_format": 1, "refused": 1, "resolved": 1, "stopped": 1}
    assert summary["t"]["greedy"]["resolved_rate"] == 1.0 and list(summary) == ["s", "t"]


def test_faults_and_infrastructure_are_in_no_rate() -> None:
    rows = [_row("a", "resolved"), _row("b", "unresolved"), _row("c", "error", reason="rate_limit")]
    rows += [_row("d", "error", reason="infrastructure"), _row("e", "env_invalid")]
    found = summarise(rows)["s"]["greedy"]
    assert (found["instances"], found["not_judged"], found["resolved_rate"], found["format_rate"]) == (2, 3, 0.5, 1.0)
    assert (found["resolved_low"], found["resolved_high"]) == wilson(1, 2, 0.95)
    assert found["causes"] == {
        "env_invalid": 1, "infrastructure": 1, "no_results": 1, "resolved": 1, "unanswered": 1
    }  # fmt: skip


def test_instances_that_fail_the_gate_are_set_apart_even_if_resolved() -> None:
    rows = mark_invalid([_row("a", "resolved"), _row("b", "resolved"), _row("c", "unresolved")], {"b"})
    found = summarise(rows)["s"]["greedy"]
    assert (found["instances"], found["not_judged"], found["resolved_rate"]) == (2, 1, 0.5)
    assert found["causes"] == {"env_invalid": 1, "no_results": 1, "resolved": 1}


def test_samples_that_were_not_judged_leave_their_instance_to_the_others() -> None:
    lost = {"decoding": "sample", "reason": "server_error"}
    rows = [_row("a", "resolved", "sample"), _row("a", "error", **lost), _row("b", "error", **lost)]
    found = summarise([*rows, _row("b", "error", **lost)])["s"]["sample"]
    assert (found["instances"], found["not_judged"], found["answers"], found["answers_not_judged"]) == (1, 1, 4, 3)
    assert (found["resolved_rate"], found["pass_at_k"]) == (1.0, {"1": 1.0})


def test_nothing_judged_has_no_rate() -> None:
    found = summarise([_row("a", "error", reason="unreachable")])
    assert found["s"]["greedy"]["resolved_rate"] is found["s"]["greedy"]["format_rate"] is None
    assert metrics(found) == {"step": 0}


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


def test_files_that_the_reference_fix_leaves_alone_are_counted(world: Any) -> None:
    problem = world.problems()[0]
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    changes = [f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{hunk}" for path in ("calc/core.py", "x.py")]
    added = "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+b\n"
    for patch, changed, extra in ((changes[0], 1, 0), ("".join(changes) + added, 3, 2), ("", None, None)):
        row = outcome_row(problem, Candidate("greedy", 0, "text", patch, "key"), Verdict("unresolved", None, None))
        assert (row["files_changed"], row["files_extra"]) == (changed, extra)
