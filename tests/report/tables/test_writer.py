"""The four forms of a table, read back by other tools."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.report.tables.kinds import COUNT, DIFFERENCE, FLAG, RATE, TEXT, P, frame
from openswerl.report.tables.table import Table, shown
from openswerl.report.tables.writer import FORMS, csv, escaped, latex, markdown, write

COLUMNS = {
    **{"policy": TEXT, "n": COUNT, "paper_format_rate": RATE, "paper_format_low": RATE, "paper_format_high": RATE},
    **{"gain": DIFFERENCE, "low": DIFFERENCE, "high": DIFFERENCE, "mcnemar_p": P, "judged": FLAG},
}
ROWS = [["base_1", 8, 0.5, 0.21523, 0.78477, -0.00001, -0.5, 0.25, 0.000123, True], ["a|b & 50 %", *[None] * 9]]
SPECIAL = "\\&%$#_{}~^<>|"


def table(rows: list[list[object]] = ROWS) -> Table:
    return Table("some", "laptop scale: not comparable", "What ran, 95 %.", COLUMNS, frame(COLUMNS, rows), ("judged",))


def test_csv_has_four_decimals_no_signed_zero_and_empty_cells() -> None:
    assert csv(table()).splitlines() == [
        ",".join(COLUMNS),
        "base_1,8,0.5000,0.2152,0.7848,0.0000,-0.5000,0.2500,0.000123,True",
        "a|b & 50 %,,,,,,,,,",
    ]


def test_parquet_is_exact_typed_and_labelled(tmp_path: Path) -> None:
    assert write(tmp_path, [table()]) == [f"some.{form}" for form in FORMS]
    found = pd.read_parquet(tmp_path / "some.parquet")
    assert found.paper_format_low[0] == 0.21523 and found.gain[0] == -0.00001
    assert {name: str(found.dtypes[name]) for name in ("n", "gain", "judged")} == {
        "n": "Int64",
        "gain": "float64",
        "judged": "boolean",
    }
    assert b"laptop scale: not comparable" in pq.read_metadata(tmp_path / "some.parquet").metadata[b"PANDAS_ATTRS"]


def test_what_an_earlier_report_left_goes(tmp_path: Path) -> None:
    for name in ("other.csv", "other.tex", "result.json"):
        (tmp_path / name).write_text("x")
    write(tmp_path, [table()])
    assert {path.name for path in tmp_path.iterdir()} == {"result.json", *(f"some.{form}" for form in FORMS)}


def test_people_read_percent_with_intervals_below_the_label() -> None:
    assert list(shown(table()).columns) == ["policy", "n", "paper: format %", "gain, points", "mcnemar p"]
    lines = markdown(table()).splitlines()
    assert lines[0] == "laptop scale: not comparable" and lines[2] == "What ran, 95 %."
    assert lines[-2:] == [
        "| base_1 | 8 | 50.0 [21.5, 78.5] | 0.0 [-50.0, +25.0] | 0.000123 |",
        "| a\\|b & 50 % |  |  |  |  |",
    ]


def test_markdown_cells_cannot_break_the_table() -> None:
    text = markdown(table([["a|b\nc\\", *[None] * 9]]))
    assert text.splitlines()[-1].startswith("| a\\|b c\\\\ | ")


def parsed(text: str) -> list[list[str]]:
    """Return the cells of a LaTeX table; fails unless groups and environments are balanced and signs are escaped."""
    body = re.sub(r"^%.*\n", "", text)
    bare = re.sub(r"\\.", "", body)
    assert bare.count("{") == bare.count("}") and not re.search(r"[%$#_^~]", bare.replace("$-$", ""))
    assert re.findall(r"\\begin{(\w+)}", body) == re.findall(r"\\end{(\w+)}", body)[::-1]
    assert [body.count(rule) >= 1 for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [True] * 3
    lines = [line for line in body.splitlines() if line.endswith(r"\\") and "&" in line]
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))] for line in lines]


def test_latex_is_booktabs_with_the_label_in_its_caption() -> None:
    text = latex(table())
    assert text.startswith("% needs the packages booktabs\n")
    assert r"\caption{laptop scale: not comparable. What ran, 95 \%.}" in text and r"\label{tab:some}" in text
    rows = parsed(text)
    assert rows[1][0] == r"base\_1" and rows[2][0] == r"a\textbar{}b \& 50 \%"
    assert {len(row) for row in rows} == {5} and r"\begin{tabular}{lrrrr}" in text


def test_long_latex_tables_break_over_pages() -> None:
    text = latex(table(ROWS * 30))
    assert "and longtable" in text and r"\begin{longtable}" in text and "tabular" not in text
    assert len(parsed(text)) >= 60


@settings(max_examples=50)
@given(st.text(alphabet=SPECIAL + "ab \n", max_size=30))
def test_escaped_text_is_balanced_and_read_back_the_same(text: str) -> None:
    found = escaped(text)
    parsed(latex(table([[text, *[None] * 9]])))
    names = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}
    names |= {r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|"}
    back = re.sub(r"\\text\w+{}|\\(.)", lambda hit: names.get(hit[0]) or hit[1], found)
    assert back == " ".join(text.split())


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    rows = [[SPECIAL, *[None] * 9]]
    body = latex(table([*ROWS, *rows])) + latex(table([*ROWS, *rows] * 30))
    head = "\\documentclass{article}\\usepackage{booktabs}\\usepackage{longtable}\\begin{document}\n"
    (tmp_path / "all.tex").write_text(f"{head}{body}\\end{{document}}\n")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
