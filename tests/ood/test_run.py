import json

import pytest

from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED, load_tokenizer, token_ids
from openswerl.ood.run import run
from openswerl.ood.suites import SUITES

NAMES = [name for name, suite in SUITES.items() if suite.own]
SMALL = [f"ood.suites.{name}.instances=2" for name in ("humaneval", "cruxeval_input", "math_strict", "mmlu")]


def right(name, item):
    """The right answer in the form that was asked for."""
    row = item.row
    if name == "humaneval":
        return f"<think>easy</think><solution>\n```python\n{row['prompt']}{row['canonical_solution']}```\n</solution>"
    if name.startswith("cruxeval"):
        return f"assert f({row['input']}) == {row['output']}"
    return f"Answer: {row['answer']}" if name.startswith("math") else f"Answer: {'ABCD'[row['answer']]}"


def test_right_answers_to_all_our_items_are_all_right(stage):
    result = stage.run(right)
    assert list(result["suites"]) == NAMES
    for name, found in result["suites"].items():
        assert found["n"] == found["correct"] >= 40 and found["rate"] == found["format"] == 1, name
    rows = stage.outcomes()
    assert {row["status"] for row in rows} == {"correct"} and all(row["correct"] for row in rows)
    assert {"suite", "id", "prompt_sha", "output", "answer", "reason", "finished", "group"} < set(rows[0])
    assert len({(row["suite"], row["id"]) for row in rows}) == len(rows)


def test_right_answers_fit_the_laptops_lengths(stage):
    """What is asked for can be said in `ood.max_response_tokens`, and every question fits."""
    job = stage.job(right)
    tokenizer, ood = load_tokenizer(PACKAGED), job.cfg.ood
    stage.run(lambda name, item: "no")
    for name in NAMES:
        from openswerl.ood.suites import load

        for item in load(name, ood.suites[name]).items:
            assert len(token_ids(tokenizer, item.question + "\n")) <= ood.max_prompt_tokens
            plain = right(name, item).replace("<think>easy</think>", "")
            assert len(token_ids(tokenizer, plain)) <= ood.max_response_tokens, plain


def test_nonsense_is_never_right_and_what_never_came_is_in_no_rate(stage):
    result = stage.run(lambda name, item: "nonsense" if item.id[-1] in "02468" else None, *SMALL)
    for name in NAMES:
        found = result["suites"][name]
        assert (found["n"], found["not_judged"], found["correct"]) == (1, 1, 0), name
    assert {row["reason"] for row in stage.outcomes() if row["correct"] is None} == {"not_recorded"}


def test_the_same_answers_make_the_same_bytes(stage):
    written = []
    for _ in range(2):
        stage.run(right, *SMALL)
        written.append((stage.root / "out" / "outcomes.jsonl").read_bytes())
    assert written[0] == written[1]


def test_a_run_that_was_killed_asks_only_for_what_is_left(stage):
    """The second run has a record without the answers that the first one had."""
    job = stage.job(right, *SMALL)
    run(job)
    before = (job.out / "outcomes.jsonl").read_bytes()
    kept = stage.root / "record.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text(lines[0])
    run(job)
    assert (job.out / "outcomes.jsonl").read_bytes() == before


def test_prompts_that_do_not_fit_are_judged_and_told(stage):
    job = stage.job(right, *SMALL)
    record = stage.root / "record.jsonl"
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    lines[0]["completion"] = None
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run(job)
    assert result["suites"]["humaneval"]["statuses"] == {"correct": 1, "too_long": 1}
    assert result["suites"]["humaneval"]["n"] == 2


def test_bad_rows_go_to_quarantine(stage, tmp_path):
    path = tmp_path / "rows.jsonl"
    good = {"question": "Which?", "subject": "law", "choices": ["one", "two"], "answer": 1}
    path.write_text(json.dumps(good) + "\nbroken\n")
    result = stage.run(right, *SMALL, f"ood.suites.mmlu.rows={path}")
    assert (result["suites"]["mmlu"]["items"], result["suites"]["mmlu"]["quarantined"]) == (1, 1)
    assert json.loads((stage.root / "out" / "quarantine.jsonl").read_text())["row"] == 1


def test_the_gates_policies_answer_no_questions(stage):
    with pytest.raises(UserError, match="policy=gold answers no questions"):
        stage.run(right, *SMALL, "policy=gold")


@pytest.mark.slow
def test_the_stage_runs_with_the_real_model(stage, tmp_path):
    """The laptop's model was never taught these formats; every item still gets exactly one verdict."""
    from openswerl.config import Cell
    from openswerl.stage import Job

    cfg = Cell("ood", (*SMALL, "ood.max_response_tokens=8", "tracking.wandb=disabled")).view()
    result = run(Job(cfg, tmp_path / "real", {}, "0123456789ab"))
    assert {found["n"] for found in result["suites"].values()} == {2}
