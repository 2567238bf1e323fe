"""Table 3 on the page and in its files, made by the whole stage from files on disk."""

import csv
import dataclasses
import re
from html import unescape

import msgspec
import pytest

from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.report import paper, prose
from openswerl.report.ood import differences, gather
from openswerl.report.rows import read_document
from openswerl.report.run import run
from openswerl.statistics import mcnemar


def words(job):
    page = (job.out / "report.html").read_text(encoding="utf-8").split('<section id="ood">')[1].split("</section>")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def table(job, name):
    with (job.out / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_paper_has_these_numbers():
    """Table 3, Llama-3.3-70B-Instruct, its SFT and its RL; MMLU with two decimals, as printed."""
    assert paper.OOD["math_strict"] == {"base": 63.2, "sft": 54.0, "grpo-continuous": 73.7}
    assert [numbers["grpo-continuous"] for numbers in paper.OOD.values()] == [
        *(79.9, 28.4, 29.1, 71.6, 75.5, 73.7, 73.7, 86.82),
    ]
    assert [numbers["sft"] for numbers in paper.OOD.values()] == [73.2, 25.7, 24.3, 68.4, 75.1, 54.0, 71.7, 85.26]


def test_table_3_has_rates_counts_and_the_papers_column(ood_job):
    run(ood_job)
    text = words(ood_job)
    assert "HumanEval+ format, our items 40 50.0 40.0–60.0 format 50.0 26.3 16.3–36.3 format 26.3 2 not judged" in text
    assert "76.2 73.2 79.9" in text and "86.49 85.26 86.82" in text
    assert "small suites of ours in the formats of these benchmarks, never their scores" in text
    assert "BigCodeBench" not in text, "a suite that did not run has no row"
    row = next(r for r in table(ood_job, "table3.csv") if (r["suite"], r["policy"]) == ("humaneval", "sft"))
    assert (row["n"], row["not_judged"], row["rate"], row["paper_percent"]) == ("38", "2", "0.2632", "73.2")
    assert (row["correct"], row["wrong"], row["error"], row["timeout"], row["rows"]) == ("10", "28", "2", "0", "ours")
    shown = (ood_job.out / "table3.md").read_text()
    rates = "38 | 2 | 26.3 [16.3, 36.3] | 26.3 [16.3, 36.3] | 73.2"
    assert f"| HumanEval+ format, our items | sft | 0 | {rates} | Table 3 |" in shown
    assert shown.startswith("smoke scale: not comparable; small suites of ours")


def test_pairs_are_compared_on_the_items_judged_for_both(ood_job):
    run(ood_job)
    rows = {(r["suite"], r["policy"], r["against"]): r for r in table(ood_job, "table3_paired.csv")}
    assert {key[1:] for key in rows} == {("grpo-continuous", "base"), ("grpo-continuous", "sft"), ("sft", "base")}
    base, sft = (rows["humaneval", "grpo-continuous", name] for name in ("base", "sft"))
    assert (base["n"], base["only_policy"], base["only_against"], base["difference"]) == ("40", "10", "0", "0.2500")
    assert (sft["n"], sft["only_policy"], sft["only_against"]) == ("38", "20", "0")
    assert base["mcnemar_p"] == f"{mcnemar(10, 0):.3g}" and float(base["low"]) > 0
    none = rows["mmlu", "grpo-continuous", "base"]
    assert (none["difference"], none["low"], none["mcnemar_p"]) == ("0.0000", "", "1")


def test_the_words_follow_the_numbers(ood_job):
    """A smoke run makes no claim, so the words are asked for by themselves."""
    found = gather(ood_job.inputs, ["base", "sft", "grpo-continuous"], ood_job.cfg.grid)
    rows = list(differences(found, ood_job.cfg.report))
    said = "GRPO continuous is ahead on HumanEval+ against Base. GRPO continuous is ahead on HumanEval+ against SFT."
    assert prose.ood(found, rows) == f"{said} No policy answers any item right of MMLU, which can show no loss."
    turned = [dataclasses.replace(row, policy=row.against, against=row.policy) for row in rows]
    assert prose.ood(found, turned) == "No policy answers any item right of MMLU, which can show no loss."
    small = [dataclasses.replace(row, p=0.5) for row in rows]
    assert prose.ood(found, small).startswith("No suite tells GRPO continuous from Base. No suite tells GRPO")
    run(ood_job)
    assert "ahead" not in words(ood_job)


def test_where_nothing_is_right_nothing_is_compared(ood_job):
    found = gather(ood_job.inputs, ["base"], ood_job.cfg.grid)
    suites = {"mmlu": found[0].result.suites["mmlu"]}
    result = msgspec.structs.replace(found[0].result, suites=suites)
    assert prose.ood([dataclasses.replace(found[0], result=result)], []) == (
        "No policy answers any item right on any suite, so none of them can show a loss."
    )


def test_without_the_stage_the_page_does_not_speak_of_it(job):
    run(job)
    assert "#ood" not in (job.out / "report.html").read_text()
    assert not [path for path in job.out.iterdir() if path.name.startswith("table3")]


def test_rows_of_the_benchmarks_are_named(ood_job):
    for name, folder in ood_job.inputs.items():
        if name.startswith("ood-"):
            result = read_document(folder / "result.json", dict)
            for suite in result["suites"].values():
                suite["rows"] = "some/rows"
            write_json(folder / "result.json", result)
    run(ood_job)
    text = words(ood_job)
    assert "rows: some/rows" in text and "our items" not in text and "HumanEval+ 40 50.0" in text


def test_policies_with_different_items_are_refused(ood_job, edit_lines):
    edit_lines(ood_job.inputs["ood-sft-seed0"] / "outcomes.jsonl", lambda rows: rows[1:])
    with pytest.raises(UserError, match="ood-sft-seed0 and ood-base-seed0 answered different items, for example i0 of"):
        run(ood_job)


def test_a_missing_input_is_named(ood_job):
    del ood_job.inputs["ood-sft-seed0"]
    with pytest.raises(UserError, match="asks for ood-sft-seed0"):
        run(ood_job)
