"""Count what every step drops, and why; nothing leaves without a line."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from openswerl.files import replacing
from openswerl.schema import Curate

# One row for every pull request: the step that dropped it, null for a seed.
VERDICTS = """
CREATE TABLE verdicts AS
SELECT position, repo, number, label, benchmark, overlap,
  coalesce(r.step, g.step, seed_step) AS step,
  CASE WHEN r.step IS NOT NULL THEN r.reason WHEN g.step IS NOT NULL THEN g.reason ELSE seed_reason END AS reason
FROM all_rows r LEFT JOIN grouped g USING (position)
"""
COUNTS = "SELECT step, reason, count(*) FROM verdicts WHERE step IS NOT NULL GROUP BY ALL ORDER BY step, reason"
DROPPED = "SELECT repo, number, step, reason FROM verdicts WHERE step IS NOT NULL ORDER BY position"
LABELS = "SELECT repo, number, label FROM verdicts WHERE label <> '' ORDER BY position"
CONTAMINATED = """
SELECT repo, number, reason, benchmark, overlap FROM verdicts WHERE step = 'decontaminate' ORDER BY position
"""
SEEDS = "SELECT position FROM verdicts WHERE step IS NULL ORDER BY position"
BATCH = 10_000
FunnelRow = tuple[str, str, int, int]


def write(connection: duckdb.DuckDBPyConnection, out: Path, cfg: Curate, total: int) -> None:
    """Write funnel.csv, dropped.jsonl, labels.csv and decontamination.csv from `all_rows` and `grouped`."""
    connection.execute(VERDICTS)
    counts = connection.execute(COUNTS).fetchall()
    write_csv(out / "funnel.csv", ("step", "reason", "dropped", "left"), funnel(counts, cfg, total))
    write_csv(out / "labels.csv", ("repo", "number", "label"), rows(connection, LABELS))
    columns = ("repo", "number", "reason", "benchmark", "overlap")
    write_csv(out / "decontamination.csv", columns, rows(connection, CONTAMINATED))
    with replacing(out / "dropped.jsonl") as temporary, temporary.open("w", encoding="utf-8") as file:
        for repo, number, step, reason in rows(connection, DROPPED):
            item = {"repo": repo, "number": number, "step": step, "reason": reason}
            file.write(json.dumps(item, sort_keys=True) + "\n")


def funnel(counts: Sequence[tuple[str, str, int]], cfg: Curate, total: int) -> Iterator[FunnelRow]:
    """Yield one row a reason in the order of the steps, or one that says that a step dropped nothing."""
    yield "crawl", "", 0, total
    for step in (*cfg.filters, *cfg.groupings, *cfg.seeds):
        for _, reason, count in [row for row in counts if row[0] == step] or [(step, "", 0)]:
            total -= count
            yield step, reason, count, total


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield a result's rows, a batch in memory at a time."""
    for batch in connection.cursor().sql(query).to_arrow_reader(BATCH):
        yield from zip(*batch.to_pydict().values(), strict=True)


def write_csv(path: Path, columns: Sequence[str], lines: Iterator[tuple[Any, ...]]) -> None:
    """Write a table atomically."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(lines)
