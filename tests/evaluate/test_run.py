import json
from typing import Any

import pytest

from openswerl.edits import Block, render
from openswerl.errors import UserError
from openswerl.evaluate.run import run
from openswerl.files import read_jsonl

WRONG = ("calc/core.py", "    return a - b", "    return b - a")
RIGHT = ("calc/core.py", "    return a - b", "    return a + b")


def _answers(edit: Any) -> tuple[dict[str, str], dict[str, list[str]]]:
    """One resolved, one wrong, one badly formed greedy answer; samples that vote for the right patch."""
    right, wrong = edit(*RIGHT), edit(*WRONG)
    spaced = edit("calc/core.py", "    return a - b", "    return a + b  # sum")
    words = edit("words/case.py", "    return text.lower()", "    return text.upper()")
    greedy = {"add(2, 2)": right, "shout": "no tags", "sum of 1": wrong}
    return greedy, {"add(2, 2)": [wrong, right, spaced], "shout": ["bad", words, "bad"], "sum of 1": [wrong] * 3}


def test_gold_resolves_and_no_patch_does_not(stage: Any) -> None:
    gold, none = stage.run("gold"), stage.run("none")
    assert [row["status"] for row in stage.outcomes("gold")] == ["resolved"] * 3
    assert [row["status"] for row in stage.outcomes("none")] == ["unresolved"] * 3
    assert gold["invalid"] == none["invalid"] == []
    assert gold["splits"]["gate"]["greedy"]["resolved_rate"] == 1.0 and gold["sandbox"] == "bubblewrap"


def test_a_policy_is_judged_by_its_patches(stage: Any, table: Any, edit: Any, capsys: Any) -> None:
    stage.gate()
    result = stage.run("base", table(*_answers(edit)))
    rows = {(row["instance_id"], row["decoding"], row["sample"]): row for row in stage.outcomes("base")}
    assert rows["acme__calc-1", "greedy", 0]["status"] == "resolved"
    assert rows["acme__words-2", "greedy", 0]["status"] == "format_error"
    assert rows["acme__words-2", "greedy", 0]["reason"] == "missing_tag"
    assert rows["acme__calc-3", "greedy", 0]["status"] == "unresolved"
    assert rows["acme__calc-1", "vote", 1]["status"] == rows["acme__words-2", "vote", 1]["status"] == "resolved"
    assert rows["acme__calc-1", "sample", 2]["output"] is None and rows["acme__calc-1", "greedy", 0]["output"]
    gate = result["splits"]["gate"]
    assert gate["greedy"]["format_rate"] == 0.5 and gate["greedy"]["resolved_rate"] == 0.5
    assert gate["sample"]["answers"] == 6 and gate["sample"]["resolved_rate"] == 0.5
    assert gate["vote"]["resolved_rate"] == 1.0 and gate["sample"]["pass_at_k"]["3"] == 1.0
    assert "evaluate base: 3/3 generated" in capsys.readouterr().out


def test_a_second_run_executes_nothing_and_writes_the_same_bytes(stage: Any, table: Any, edit: Any) -> None:
    stage.gate()
    folder = stage.root / "evaluate" / "base" / "seed0"
    first = stage.run("base", table(*_answers(edit)))
    written = {name: (folder / name).read_bytes() for name in ("outcomes.jsonl", "predictions.jsonl")}
    second = stage.run("base", table(*_answers(edit)))
    assert first["executed"] > 0 and second["executed"] == 0 and second["cached"] > 0
    assert written == {name: (folder / name).read_bytes() for name in written}


def test_results_do_not_depend_on_the_folder(stage: Any, table: Any, edit: Any, tmp_path: Any) -> None:
    other = type(stage)(tmp_path / "another" / "place", stage.world)
    for one in (stage, other):
        one.gate()
        one.run("base", table(*_answers(edit)))
    assert stage.outcomes("base") == other.outcomes("base")


def test_a_patch_of_tests_is_refused_without_a_run(stage: Any, table: Any, edit: Any) -> None:
    stage.gate()
    answer = edit("conftest.py", "", "import pytest")
    result = stage.run("base", table({"": answer}, {}))
    greedy = [row for row in stage.outcomes("base") if row["decoding"] == "greedy"]
    assert {(row["status"], row["reason"], row["format_ok"]) for row in greedy} == {
        ("unresolved", "touches_conftest", True)
    }
    assert result["executed"] == 0


def test_an_edit_that_changes_nothing_is_an_empty_patch(stage: Any, table: Any) -> None:
    stage.gate()
    there = Block("calc/core.py", "    return a - b", "    return 1")
    back = Block("calc/core.py", "    return 1", "    return a - b")
    stage.run("base", table({"": render("x", [there, back])}, {}))
    row = stage.outcomes("base")[0]
    assert (row["status"], row["format_ok"], row["patch_sha"]) == ("empty_patch", True, None)


def test_no_gold_reaches_prompts_or_results(canary_world: Any, stage: Any, table: Any, edit: Any) -> None:
    """A wrong answer of the policy, so that nothing written can hold a test's name or the gold patch."""
    stage.world = canary_world
    stage.gate()
    sampler = table({"": edit(*WRONG)}, {})
    result = stage.run("base", sampler)
    folder = stage.root / "evaluate" / "base" / "seed0"
    written = [(folder / name).read_text() for name in ("outcomes.jsonl", "predictions.jsonl", "metrics.jsonl")]
    assert len(sampler.prompts) == 6 and all("def " in prompt for prompt in sampler.prompts)
    secrets = ["CANARY", "a + b", "upper", "test_add", "test_shout", "test_core.py", "test_case.py"]
    texts = [*sampler.prompts, *written, json.dumps(result)]
    assert not [secret for secret in secrets for text in texts if secret in text]
    assert "CANARY" in (stage.root / "evaluate/gold/seed0/predictions.jsonl").read_text()


def test_the_gate_stops_a_model_and_names_the_instance(own_world: Any, stage: Any, table: Any) -> None:
    own_world.rows[1]["FAIL_TO_PASS"] = json.dumps(["tests/test_case.py::test_absent"])
    own_world.write()
    stage.world = own_world
    stage.gate()
    with pytest.raises(UserError, match=r"policy=gold: acme__words-2 \(gold_unresolved\)"):
        stage.run("base", table({}, {}))


def test_a_gold_patch_that_does_not_apply_is_told_by_the_gate(own_world: Any, stage: Any, table: Any) -> None:
    own_world.rows[1]["patch"] = own_world.rows[1]["patch"].replace("lower", "absent")
    own_world.write()
    stage.world = own_world
    stage.gate()
    with pytest.raises(UserError, match=r"policy=gold: acme__words-2 \(gold_apply_failed\)"):
        stage.run("base", table({}, {}))


def test_an_invalid_instance_is_in_no_rate(own_world: Any, stage: Any, table: Any, edit: Any) -> None:
    own_world.rows[1]["FAIL_TO_PASS"] = json.dumps(["tests/test_case.py::test_absent"])
    own_world.write()
    stage.world = own_world
    stage.gate()
    settings = "evaluate.max_invalid=0.5", "evaluate.mini.splits={gate: 2}"
    result = stage.run("base", table(*_answers(edit)), *settings)
    greedy = result["splits"]["gate"]["greedy"]
    assert result["invalid"] == ["acme__words-2"] and (greedy["instances"], greedy["not_judged"]) == (1, 1)
    assert result["mini"]["splits"]["gate"]["instances"] == 1


def test_a_gate_run_names_invalid_instances(own_world: Any, stage: Any) -> None:
    own_world.rows[0]["FAIL_TO_PASS"] = own_world.rows[0]["PASS_TO_PASS"]
    own_world.write()
    stage.world = own_world
    assert stage.run("none")["invalid"] == ["acme__calc-1"]


def test_the_process_sandbox_gives_the_same_outcomes_and_says_so(stage: Any, capsys: Any) -> None:
    stage.run("gold")
    inside = stage.outcomes("gold")
    result = stage.run("gold", None, "evaluate.sandbox=process")
    assert result["sandbox"] == "process" and result["executed"] == 3
    assert stage.outcomes("gold") == inside
    assert "WARNING: sandbox=process" in capsys.readouterr().out


def test_the_laptops_backend_runs_no_other_benchmark(stage: Any) -> None:
    rows = f"evaluate.rows={stage.world.laptop / 'benchmark' / 'rows.jsonl'}"
    settings = ["evaluate=verified", "evaluate.backend=laptop", "evaluate.instances=[acme__calc-1]"]
    with pytest.raises(UserError, match=r"cannot run evaluate\.benchmark=verified; choose evaluate\.backend=local"):
        run(stage.job("gold", *settings, rows, f"evaluate.clones={stage.world.laptop / 'repos'}"))


def test_regrading_needs_logs(stage: Any) -> None:
    with pytest.raises(UserError, match=r"needs evaluate\.logs=FILE"):
        run(stage.job("base", "evaluate.mode=regrade"))


def test_the_gate_is_a_command_of_its_own(own_world: Any, stage: Any) -> None:
    own_world.rows[0]["FAIL_TO_PASS"] = own_world.rows[0]["PASS_TO_PASS"]
    own_world.write()
    stage.world = own_world
    result = run(stage.job("base", "evaluate.mode=gold", "evaluate.gate_runs=2"))
    assert (result["instances"], result["valid"]) == (3, 2)
    assert result["env_invalid"] == {"acme__calc-1": "base_passes_f2p"}


def test_there_is_one_row_of_metrics(stage: Any) -> None:
    stage.run("gold", None)
    (row,) = read_jsonl(stage.root / "evaluate" / "gold" / "seed0" / "metrics.jsonl")
    assert row["step"] == 0 and row["gate/greedy/resolved_rate"] == 1.0
