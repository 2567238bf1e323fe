"""The repositories of the merged pull requests."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from openswerl.parquet import open_parquet

COLUMNS = ["repo", "repo_id", "fork"]


def repositories(pulls: Path) -> Iterator[dict[str, Any]]:
    """Yield {repo, id, fork} by lower-case name from a file of pull requests in that order; null is unknown.

    A name that changed hands has a row for each id.
    """
    for _, rows in groupby(_rows(pulls), lambda row: row["repo"].lower()):
        found: dict[int | None, dict[str, Any]] = {}
        for row in rows:
            kept = found.setdefault(row["repo_id"], {"repo": row["repo"], "id": row["repo_id"], "fork": row["fork"]})
            kept["fork"] = row["fork"] if kept["fork"] is None else kept["fork"]
        yield from (found[key] for key in sorted(found, key=lambda key: (key is None, key)))


def _rows(pulls: Path) -> Iterator[dict[str, Any]]:
    with open_parquet(pulls) as file:
        for batch in file.iter_batches(columns=COLUMNS):
            yield from batch.to_pylist()
