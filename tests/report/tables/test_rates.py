import csv
import io

from openswerl.report.inputs import gather
from openswerl.report.paired import differences
from openswerl.report.rates import rate_rows
from openswerl.report.rows import FunnelRow
from openswerl.report.tables import rates as tables
from openswerl.stage import Job

COLUMNS = "policy,split,seed,n,not_judged,format_rate,format_low,format_high,resolved_rate,resolved_low,resolved_high"


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_table2_columns_and_numbers(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    text = tables.table2_csv(rate_rows([*inputs.gate, *inputs.evaluations], "greedy", job.cfg.report))
    assert text.splitlines()[0] == COLUMNS
    rows = {(row["policy"], row["split"]): row for row in read(text)}
    assert len(rows) == 14
    base = rows["base", "gate"]
    assert (base["seed"], base["n"], base["format_rate"], base["resolved_rate"]) == ("0", "8", "0.5000", "0.2500")
    assert (base["resolved_low"], base["resolved_high"]) == ("0.0715", "0.5907")
    assert (rows["gold", "gate"]["format_rate"], rows["gold", "gate"]["resolved_rate"]) == ("", "1.0000")


def test_decoding_counts_answers_and_names_its_interval(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    text = tables.decoding_csv(
        row for decoding in ("sample", "vote") for row in rate_rows(inputs.evaluations, decoding, job.cfg.report)
    )
    assert text.splitlines()[0] == f"decoding,{COLUMNS},interval"
    rows = {(row["policy"], row["decoding"]): row for row in read(text) if row["split"] == "gate"}
    assert [rows["sft", key]["n"] for key in ("sample", "vote")] == ["16", "8"]
    assert [rows["sft", key]["resolved_rate"] for key in ("sample", "vote")] == ["0.1875", "0.3750"]
    assert [rows["sft", key]["interval"] for key in ("sample", "vote")] == ["bootstrap over instances", "Wilson"]


def test_paired_leaves_undefined_cells_empty(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    rows = read(tables.paired_csv(differences(inputs, job.cfg.report)))
    assert list(rows[0]) == list(tables.PAIRED)
    greedy, sample = rows[0], next(row for row in rows if row["decoding"] == "sample")
    assert (greedy["difference"], greedy["only_policy"], greedy["mcnemar_p"]) == ("0.5000", "4", "0.125")
    assert (sample["only_policy"], sample["mcnemar_p"]) == ("", "")
    flat = next(row for row in rows if row["measure"] == "format" and row["difference"] == "0.0000")
    assert (flat["low"], flat["high"]) == ("", "")


def test_markdown_names_sandbox_and_benchmark(job: Job) -> None:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    rows = list(rate_rows(inputs.evaluations, "greedy", job.cfg.report))
    text = tables.table2_md(rows, inputs.sandbox, "a remark")
    assert (
        text.startswith("a remark\n") and "executed in: bubblewrap" in text and "SWE-bench Verified (n = 500)" in text
    )
    assert "| base | gate | 0 | 8 | 50.0 [21.5, 78.5] | 25.0 [7.1, 59.1] | 12.2 | 5.4 |" in text


def test_markdown_cells_cannot_break_the_table() -> None:
    text = tables.funnel_md([FunnelRow("a|b", "x\ny\\", 1, 2)])
    assert text.splitlines()[2] == "| a\\|b | x y\\\\ | 1 | 2 |"
