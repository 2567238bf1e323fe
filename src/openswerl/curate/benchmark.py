"""What must not be trained on: a benchmark's repositories and, where its rows are at hand, their hashed texts."""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.curate.grams import grams
from openswerl.curate.hunks import changed_text, parse_diff
from openswerl.curate.patch_id import file_ids
from openswerl.errors import UserError
from openswerl.schema import Curate

FIELDS = ("instance_id", "repo", "base_commit", "problem_statement", "patch")


class Index:
    """Which texts of a benchmark hold a run of words; only hashes are kept."""

    def __init__(self, texts: Iterable[np.ndarray]) -> None:
        arrays = list(texts)
        self.sizes = np.array([len(array) for array in arrays], np.int64)
        hashes = np.concatenate([*arrays, np.empty(0, np.uint64)])
        order = np.argsort(hashes, kind="stable")
        self.hashes = hashes[order]
        self.texts = np.repeat(np.arange(len(arrays)), self.sizes)[order]

    def closest(self, found: np.ndarray) -> tuple[int, float]:
        """Return the text that shares most with `found`, and the share of the shorter one of the two."""
        first, last = (np.searchsorted(self.hashes, found, side) for side in ("left", "right"))
        hits = np.flatnonzero(last > first)
        if not len(hits):
            return 0, 0.0
        texts = np.concatenate([self.texts[first[hit] : last[hit]] for hit in hits])
        shares = np.bincount(texts, minlength=len(self.sizes)) / np.maximum(1, np.minimum(self.sizes, len(found)))
        return int(shares.argmax()), float(shares.max())


@dataclass(frozen=True)
class Benchmark:
    """Repositories by lower-case name and by id, and the rows: ids, base commits, patches, runs of words."""

    repositories: frozenset[str]
    ids: frozenset[int]
    instances: list[str] = field(default_factory=list)
    commits: dict[str, str] = field(default_factory=dict)
    patches: dict[bytes, list[tuple[str, frozenset[bytes]]]] = field(default_factory=dict)
    statements: Index = field(default_factory=lambda: Index([]))
    changes: Index = field(default_factory=lambda: Index([]))

    @classmethod
    def load(cls, cfg: Curate, more: Iterable[str] = ()) -> Self:
        """Read `cfg.benchmark_rows`. Raises UserError for a file that cannot be read, or a row without a field."""
        rows = [row for path in cfg.benchmark_rows for row in read_rows(Path(path))]
        diffs = [parse_diff(row["patch"]) for row in rows]
        patches: dict[bytes, list[tuple[str, frozenset[bytes]]]] = {}
        for row, files in zip(rows, map(file_ids, diffs), strict=True):
            if files:
                patches.setdefault(min(files), []).append((row["instance_id"], files))
        names = [*cfg.benchmark_repositories, *cfg.benchmark_former_names, *more, *(row["repo"] for row in rows)]
        return cls(
            repositories=frozenset(name.lower() for name in names),
            ids=frozenset(cfg.benchmark_ids),
            instances=[row["instance_id"] for row in rows],
            commits={row["base_commit"]: row["instance_id"] for row in rows},
            patches=patches,
            statements=Index(grams(row["problem_statement"], cfg.overlap_words) for row in rows),
            changes=Index(grams(changed_text(files), cfg.overlap_words) for files in diffs),
        )


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield SWE-bench rows of a .jsonl, .jsonl.gz or .parquet file. Raises UserError."""
    try:
        rows = _parquet(path) if path.suffix == ".parquet" else _lines(path)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise UserError(f"{path}: row {number} is no object; curate.benchmark_rows takes SWE-bench rows")
            if absent := [name for name in FIELDS if not isinstance(row.get(name), str)]:
                raise UserError(f"{path}: row {number} has no {absent[0]}; curate.benchmark_rows takes SWE-bench rows")
            yield row
    except (OSError, EOFError, ValueError, RecursionError, pa.ArrowException) as error:
        raise UserError(f"curate.benchmark_rows: cannot read {path}: {error}") from None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _parquet(path: Path) -> Sequence[dict[str, Any]]:
    return pq.read_table(path, columns=list(FIELDS)).to_pylist()
