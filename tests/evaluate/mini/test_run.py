"""All steps of Agentless Mini on the tiny benchmark, by the real backend, sandbox and grading parser."""

import json
from typing import Any

import pytest

from mini_runs import ADDS, MANY, answer
from openswerl.errors import UserError
from openswerl.evaluate.oracle.vote import NO_EDIT
from openswerl.rollout import Completion


def test_every_step_leaves_its_evidence(mini: Any, scripted: Any) -> None:
    rows = {row.instance_id: row for row in mini(scripted(answer), *MANY)}
    assert list(rows) == ["acme__calc-1", "acme__words-2", "acme__calc-3"]
    calc, words = rows["acme__calc-1"], rows["acme__words-2"]
    assert {tuple(files) for files in calc.files} >= {("calc/core.py",), ("calc/core.py", "calc/user.py")}
    assert len(calc.files) == 6 and len(calc.samples) == len(calc.reasons) == 40
    assert all(
        (number is None) == (reason is not None) for number, reason in zip(calc.samples, calc.reasons, strict=True)
    )
    assert {patch.key == NO_EDIT: patch.passed for patch in calc.patches}[True] is None
    by_text = {patch.patch.split("\n+")[-1].split("\n")[0].strip(): patch for patch in calc.patches}
    assert by_text["return b - a"].passed == [False, False][: len(calc.tests)]
    assert by_text["return 'clac'"].regression_failures == calc.regression_tests == 1
    assert by_text["return b - a"].regression_failures == 0
    assert words.regression_tests == 0 and [patch.regression_failures for patch in words.patches] == [0] * 3
    assert calc.counts["repair_search_not_found"] == calc.reasons.count("search_not_found") > 0
    assert calc.counts["program_syntax_error"] > 0 and calc.counts["base_silent"] == 1
    assert calc.counts["localisation_unknown_paths"] > 0 and calc.selection == "honest"


def test_tests_outvote_a_majority(mini: Any, scripted: Any) -> None:
    """Three of four samples are wrong in the same way; regression and reproduction tests each find the right one."""

    def one_in_four(step: str, prompt: str, number: int) -> str:
        if step != "repair":
            return answer(step, prompt, number)
        return answer(step, prompt, 0 if number % 4 == 0 else 3 if "shout" not in prompt else 1)

    for row in mini(scripted(one_in_four), "repair.samples=24", "reproduction.samples=12"):
        right = [k for k, patch in enumerate(row.patches) if "a + b" in patch.patch or "upper" in patch.patch]
        assert len(row.patches) == 2 and row.samples.count(right[0]) < 12
        assert row.samples[row.chosen.majority] != right[0]
        assert row.samples[row.chosen.all] == row.samples[row.chosen.reproduction] == right[0]
        if "calc" in row.instance_id:
            assert row.samples[row.chosen.regression] == right[0]


def test_programs_alike_but_for_comments_are_one_and_count_together(mini: Any, scripted: Any) -> None:
    row = mini(scripted(answer), *MANY)[0]
    kept = {test.source: test.count for test in row.tests}
    drawn = row.counts.get("program_syntax_error", 0)
    assert set(kept) <= {*ADDS[:3]} and len(kept) == 2
    assert sum(kept.values()) + drawn < 24
    assert [test.count for test in row.tests] == sorted(kept.values(), reverse=True)


def test_a_second_run_asks_and_executes_nothing(mini: Any, scripted: Any) -> None:
    mini(scripted(answer), *MANY)
    first, sampler = mini.files(), scripted(answer)
    mini(sampler, *MANY)
    assert mini.files() == first and sampler.calls == [] and mini.executed == 0


def test_rows_at_once_decide_nothing(mini: Any, scripted: Any) -> None:
    mini(scripted(answer), *MANY, "rows=1")
    small = mini.files()
    for path in (mini.root / "work").iterdir():
        path.unlink()
    mini(scripted(answer), *MANY, "rows=1000")
    assert mini.files() == small


def test_other_settings_never_take_up_old_rows(mini: Any, scripted: Any) -> None:
    mini(scripted(answer), *MANY)
    sampler = scripted(answer)
    rows = mini(sampler, *MANY, "repair.samples=41")
    assert {step for step, _, _ in sampler.calls} == {"localise", "repair", "program"}
    assert [len(row.samples) for row in rows] == [41] * 3


def test_stages_can_be_switched_off(mini: Any, scripted: Any) -> None:
    sampler = scripted(answer)
    rows = mini(sampler, *MANY, "rerank.regression=false", "rerank.reproduction=false")
    assert mini.executed == 0 and "program" not in {step for step, _, _ in sampler.calls}
    for row in rows:
        chosen = {row.chosen.all, row.chosen.majority, row.chosen.regression, row.chosen.reproduction}
        assert len(chosen) == 1 and not row.tests and not row.regression_tests


def test_what_never_came_is_a_fault_and_no_empty_answer(mini: Any, scripted: Any) -> None:
    fault = Completion("", [], False, fault="server_error")

    def unanswered(step: str, prompt: str, number: int) -> Any:
        return fault if step == "repair" and "shout" in prompt else answer(step, prompt, number)

    rows = mini(scripted(unanswered), *MANY)
    assert set(rows[1].reasons) == {"server_error"} and rows[1].chosen.all is None
    assert rows[1].counts["repair_server_error"] == 40 and "repair_server_error" not in rows[0].counts
    rows = mini(scripted(lambda step, prompt, number: fault), *MANY, "localisation.samples=2")
    assert set(rows[0].reasons) == {"server_error"}, "there is no repair because localisation had no answer"


def test_an_instance_that_is_not_localised_has_a_row_with_the_reason(mini: Any, scripted: Any) -> None:
    nothing = mini(scripted(lambda step, prompt, number: "no tags"), *MANY)
    assert len(nothing) == 3
    for row in nothing:
        assert set(row.reasons) == {"not_localised"} and row.patches == [] and row.chosen.all is None
        assert row.counts["localisation_missing_tag"] == 6 and row.counts["program_missing_tag"] == 24


def test_excluded_tests_are_not_run_against_a_patch(mini: Any, scripted: Any) -> None:
    def excluding(step: str, prompt: str, number: int) -> str:
        if step == "exclude":
            return "<think>\nx\n</think>\n<solution>\n### tests/test_core.py::test_name\n### other\n</solution>"
        return answer(step, prompt, number)

    sampler = scripted(excluding)
    rows = mini(sampler, *MANY, "regression.exclude=true")
    assert rows[0].counts["regression_excluded"] == 1 and rows[0].regression_tests == 0
    assert ("exclude", 2, 0.0) in sampler.calls, "one greedy answer for each instance with tests"
    assert [patch.regression_failures for patch in rows[0].patches if not patch.refused and patch.passed] == [0] * 3


def test_paper_compat_takes_the_names_it_is_given_and_says_so(mini: Any, scripted: Any) -> None:
    names = {name: ["tests/test_core.py"] for name in ("acme__calc-1", "acme__words-2", "acme__calc-3")}
    rows = mini(scripted(answer), *MANY, "regression.selection=paper_compat", names=names)
    assert {row.selection for row in rows} == {"paper_compat"}
    assert [row.regression_tests for row in rows] == [1, 0, 1]
    for setting, given in (("paper_compat", None), ("honest", names)):
        with pytest.raises(UserError, match="paper_compat"):
            mini(scripted(answer), f"regression.selection={setting}", names=given)


def test_no_gold_reaches_prompts_journals_or_evidence(
    tmp_path: Any, canary_world: Any, mini: Any, scripted: Any
) -> None:
    mini.laptop = canary_world.laptop
    sampler = scripted(answer)
    mini(sampler, *MANY)
    texts = [*sampler.prompts, *(data.decode() for data in mini.files().values())]
    assert len(sampler.prompts) > 10
    assert not [text for text in texts if "CANARY" in text or "test_add" in text or "test_shout" in text]
    stored = [path for path in tmp_path.rglob("*") if path.is_file() and b"CANARY" in path.read_bytes()]
    assert {path.relative_to(tmp_path).parts[0] for path in stored} <= {"canaries"}


def test_journals_have_one_row_a_sample_behind_a_digest(mini: Any, scripted: Any) -> None:
    mini(scripted(answer), *MANY)
    for name, data in mini.files().items():
        lines = [json.loads(line) for line in data.splitlines()]
        if name == "evidence.jsonl":
            assert len(lines) == 3
            continue
        assert list(lines[0]) == ["digest"]
        if name in ("localise.jsonl", "repair.jsonl", "programs.jsonl"):
            places = [(row["instance_id"], row["sample"]) for row in lines[1:]]
            assert len(set(places)) == len(places) == {"localise": 18, "repair": 120, "programs": 72}[name[:-6]]
