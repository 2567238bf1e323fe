"""Agentless Mini on the page and in its tables, made by the whole stage from files on disk."""

import csv
import re
from collections.abc import Callable
from html import unescape

import pytest

from openswerl.report import paper
from openswerl.report.figures.captions import setting
from openswerl.report.figures.figure4 import figure4
from openswerl.report.inputs import gather
from openswerl.report.mini import causes, groups
from openswerl.report.run import run
from openswerl.stage import Job

Make = Callable[..., Job]


def words(job: Job) -> str:
    text = re.sub(r"<style>.*?</style>", "", (job.out / "report.html").read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def table(job: Job, name: str) -> list[dict[str, str]]:
    with (job.out / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def section(job: Job, name: str) -> str:
    return (
        (job.out / "report.html").read_text(encoding="utf-8").split(f'<section id="{name}">')[1].split("</section>")[0]
    )


def test_table_1_has_rates_counts_and_the_papers_column(finished_mini: Job) -> None:
    """Of seven judged instances, the SFT policy resolves two: Wilson 8.2 to 64.1 (Newcombe 1998, method 3)."""
    text = words(finished_mini)
    assert "SFT hinted demonstrations 28.6 8.2–64.1 7 1 not judged 36.2 Table 1" in text
    assert "GRPO continuous 71.4 35.9–91.8 7 1 not judged 41.0 Table 1" in text
    assert "SWE-bench Verified, n = 500: a different benchmark, 500 samples of a 70B model" in text
    row = table(finished_mini, "table1.csv")[1]
    assert (row["policy"], row["n"], row["not_judged"], row["resolved_rate"]) == ("sft", "7", "1", "0.2857")
    assert (row["executed_in"], row["regression_selection"]) == ("bubblewrap", "honest")
    assert (
        "| SFT | Agentless Mini | this run | gate | 0 | 7 | 1 | 28.6 [8.2, 64.1] | bubblewrap | this run |"
        in (finished_mini.out / "table1.md").read_text()
    )


def test_the_page_without_agentless_mini_does_not_speak_of_it(job: Job) -> None:
    run(job)
    assert "Agentless Mini" not in words(job) and "#mini" not in (job.out / "report.html").read_text()
    assert not {"table1.csv", "scaling.csv"} & {path.name for path in job.out.iterdir()}


@pytest.mark.parametrize(
    ("selection", "sandbox", "flag"),
    [("paper_compat", "bubblewrap", "paper_compat (leaks)"), ("honest", "process", "process (no isolation)")],
)
def test_numbers_that_are_not_honest_or_not_isolated_say_so_wherever_they_stand(
    mini_job: Make, selection: str, sandbox: str, flag: str
) -> None:
    run(job := mini_job(selection, sandbox))
    text = words(job)
    both = section(job, "mini") + section(job, "failures")
    shown = re.findall(r'<(?:p class="caption"|figcaption)>(.*?)</', both)
    executed = [caption for caption in shown if "executed in" in caption.lower()]
    of_mini = [caption for caption in executed if "regression tests" in caption]
    assert len(of_mini) == 7, "table 1, pairs, stages, two figures, tests, causes of failure"
    assert all(flag in caption for caption in of_mini)
    notice = {"paper_compat": "not an honest number", "honest": "without isolation"}[selection]
    assert notice in text.split("Agentless Mini")[0], "a notice at the top"
    assert flag in (job.out / "table1.md").read_text()


def test_stages_of_reranking_are_held_against_the_full_choice(finished_mini: Job) -> None:
    text = words(finished_mini)
    assert "All stages Regression, vote Reproduction, vote Vote alone Any sample" in text
    assert "0.0 to +42.9 43.3 SFT gold" in text, "a bound of 0.1 + 0.333"
    rows = [row for row in table(finished_mini, "rerank.csv") if row["policy"] == "grpo-continuous"]
    assert [row["choice"] for row in rows] == ["mini-majority", "mini-regression", "mini-reproduction"]
    assert (rows[0]["rate"], rows[0]["full_minus_choice"], rows[0]["mcnemar_p"]) == ("0.5714", "0.1429", "1")


def test_localisation_stands_beside_random_files_and_tests_beside_their_n(finished_mini: Job) -> None:
    text = words(finished_mini)
    assert "Base 5.0 0.0–30.0 10.0 0.0–30.0 15.0 0.0–30.0 75.0 40.0–90.0 7" in text
    assert "Random files of 9.5 shown 10.0 20.0 30.0 – 7" in text
    assert "1 whose fix only adds files left out" in text
    assert "Base 62.5 30.6–86.3 2.2 6 3.5 8" in text
    assert table(finished_mini, "localisation.csv")[1]["random"] == "0.2000"
    assert table(finished_mini, "tests.csv")[0]["with_reproduction_test"] == "5"


def test_curves_are_drawn_and_the_papers_stand_apart(finished_mini: Job) -> None:
    text = words(finished_mini)
    assert "Resolved %, by repair samples" in text and "Resolved %, by reproduction tests" in text
    assert "Resolved % 33.6 35.6 37.0 40.0 40.6 41.0 38.8 39.8 40.6 41.0 41.0" in text
    rows = [row for row in table(finished_mini, "scaling.csv") if row["policy"] == "sft"]
    assert [(row["axis"], row["k"], row["resolved_rate"]) for row in rows[3:]] == [
        ("repair", "8", "0.3500"),
        ("tests", "1", "0.1000"),
        ("tests", "2", "0.3000"),
    ]
    assert (rows[0]["n"], rows[0]["not_judged"]) == ("7", "1")


def test_without_any_kept_test_there_is_one_panel(mini_job: Make) -> None:
    job = mini_job()
    for folder in job.inputs.values():
        path = folder / "result.json"
        path.write_text(re.sub(r'"tests": \[[^]]*\]', '"tests": []', path.read_text()))
    run(job)
    names = {path.name for path in (job.out / "figures").iterdir()}
    assert {"scaling-repair.svg", "paper-scaling-repair.png"} < names
    assert not {"scaling-tests.svg", "paper-scaling-tests.svg"} & names


def test_every_instance_has_one_cause_and_what_was_not_judged_is_apart(finished_mini: Job) -> None:
    job = finished_mini
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    found = causes(inputs, "mini", "gate")
    assert found and [(row.cause, row.judged) for row in found.rows] == [
        ("resolved", True),
        ("not_fixed", True),
        ("infrastructure", False),
    ]
    assert [sum(column) for column in zip(*(row.counts for row in found.rows), strict=True)] == [8] * 5
    assert found.rows[0].counts == [1, 2, 6, 5, 3] and found.rows[2].counts == [1] * 5
    assert causes(inputs, "mini", "templates") is None


def test_groups_count_what_was_not_judged(finished_mini: Job) -> None:
    job = finished_mini
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    (found,) = groups(inputs, "greedy", "gate")
    assert (found.kind, found.sizes) == ("repository", {"acme/calc": 4, "acme/text": 4}), "one group is no breakdown"
    assert "acme/text – – – – – 4" in words(job)


def test_the_papers_numbers_end_at_table_1() -> None:
    """Figure 4 ends at the whole run of Table 1: 500 samples and 30 tests."""
    ends = {axis: list(curve.values())[-1] for axis, curve in paper.SCALING.items()}
    assert set(ends.values()) == {paper.MINI["grpo-continuous"].resolved}


def test_equal_inputs_give_equal_figures(finished_mini: Job) -> None:
    job = finished_mini
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    drawn = figure4(inputs.evaluations, setting("smoke", job.cfg.report, inputs))
    assert list(drawn) == ["scaling-repair", "paper-scaling-repair", "scaling-tests", "paper-scaling-tests"]
    for name, one in drawn.items():
        assert (job.out / "figures" / f"{name}.svg").read_text() == one.svg
        assert (job.out / "figures" / f"{name}.png").read_bytes() == one.png
