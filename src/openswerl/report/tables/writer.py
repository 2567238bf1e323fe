"""One table in four forms: CSV and Parquet for programs, Markdown and LaTeX (booktabs) for people."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from openswerl.files import replacing, write_text
from openswerl.report.tables.kinds import FLAG, TEXT
from openswerl.report.tables.kinds import written as number
from openswerl.report.tables.table import Table, shown, visible

FORMS = ("csv", "parquet", "md", "tex")
LONG = 40  # rows; beyond, a LaTeX table may break over pages
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\u2212": "$-$", "\u202f": r"\,"}
LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
ESCAPES = str.maketrans(LATEX)


def write(folder: Path, tables: Iterable[Table]) -> list[str]:
    """Write each table below `folder` in all FORMS; returns the names of the files. Equal tables give equal bytes.

    Tables that an earlier report left there go.
    """
    names: list[str] = []
    for table in tables:
        texts = {"csv": csv(table), "md": markdown(table), "tex": latex(table)}
        for form, text in texts.items():
            write_text(folder / f"{table.name}.{form}", text)
        with replacing(folder / f"{table.name}.parquet") as path:
            _parquet(table, path)
        names += [f"{table.name}.{form}" for form in FORMS]
    for path in folder.iterdir():
        if path.suffix[1:] in FORMS and path.name not in names:
            path.unlink()
    return names


def csv(table: Table) -> str:
    """Return the whole frame as CSV, rates between 0 and 1 with four decimals; what is missing is empty."""
    texts = table.frame.copy()
    for name, kind in table.columns.items():
        if kind.csv:
            texts[name] = [number(value, kind.csv) for value in texts[name]]
    return str(texts.to_csv(index=False, lineterminator="\n"))


def markdown(table: Table) -> str:
    """Return label, caption and table as Markdown."""
    texts = shown(table)
    return f"{table.label}\n\n{table.caption}\n\n" + to_markdown(list(texts.columns), texts.to_numpy().tolist())


def to_markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table whose cells cannot break it."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(_cell(value) for value in line) + " |\n" for line in lines)


def latex(table: Table) -> str:
    """Return the table in the form of booktabs, label and caption as its caption; long ones as a longtable."""
    texts = shown(table)
    long = len(texts) > LONG
    texts = texts.map(escaped).rename(columns=escaped)
    sides = ("l" if table.columns[name] in (TEXT, FLAG) else "r" for name, _ in visible(table))
    body = texts.to_latex(
        index=False,
        escape=False,
        longtable=long,
        caption=f"{escaped(table.label)}. {escaped(table.caption)}",
        label=f"tab:{table.name}",
        column_format="".join(sides),
    )
    return f"% needs the packages booktabs{' and longtable' if long else ''}\n{body}"


def escaped(text: str) -> str:
    """Return plain text as LaTeX in one line."""
    return " ".join(text.split()).translate(ESCAPES)


def _parquet(table: Table, path: Path) -> None:
    """Write the frame unrounded; label and caption are in the file's metadata."""
    frame = table.frame.copy()
    frame.attrs = {"label": table.label, "caption": table.caption}
    frame.to_parquet(path, index=False)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("\\", "\\\\").replace("|", "\\|").split())
