"""Typed records that pass between stages, stored as Parquet.

Gold data (patches, test names, new contents) live in records of their own kind. Whatever builds a prompt takes a
`Task`, which has no gold field.
"""

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.errors import UserError
from openswerl.files import replacing

R = TypeVar("R", bound=msgspec.Struct)
ROW_GROUP = 200


class SourceFile(msgspec.Struct, frozen=True):
    """One text file at one commit."""

    path: str
    content: str


class ChangedFile(msgspec.Struct, frozen=True):
    """One file of a pull request's diff; blobs are git object ids, None where the side does not exist."""

    path: str
    status: str
    old_mode: str
    new_mode: str
    old_blob: str | None
    new_blob: str | None


class Issue(msgspec.Struct, frozen=True):
    """A linked issue; `body` may be empty, and both texts are empty where the archive does not hold them."""

    repo: str
    number: int
    title: str
    body: str


class PullRequest(msgspec.Struct, frozen=True):
    """A merged pull request, joined with git (paper 2, appendix A)."""

    repo: str
    number: int
    title: str
    body: str
    author: str
    author_type: str
    base_ref: str
    base_sha: str
    head_sha: str
    merge_base: str
    merged_at: str
    issues: list[Issue]
    changed_files: list[ChangedFile]
    additions: int
    deletions: int
    oracle_diff: str
    oracle_diff_sha256: str


class Blob(msgspec.Struct, frozen=True):
    """The content of one git blob; None where it is binary or not UTF-8."""

    sha: str
    content: str | None


class Task(msgspec.Struct, frozen=True):
    """All that a prompt may show: the problem and the files. Holds no gold data."""

    instance_id: str
    problem_statement: str
    files: list[SourceFile]

    @property
    def context(self) -> dict[str, str]:
        """Path to content."""
        return {file.path: file.content for file in self.files}


class Instance(msgspec.Struct, frozen=True):
    """One RL-ready training instance (paper 2.1): context, and the oracle that only reward and SFT data may see."""

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    changed_files: list[SourceFile]
    related_unchanged_files: list[SourceFile]
    oracle_new_content: list[SourceFile]
    golden_patch: str

    @property
    def task(self) -> Task:
        """The prompt's view. Files are shuffled by a hash of the id, so that position does not tell which change."""
        return make_task(self.instance_id, self.problem_statement, self.changed_files + self.related_unchanged_files)

    @property
    def oracle(self) -> dict[str, str]:
        """Path to new content of every changed file."""
        return {file.path: file.content for file in self.oracle_new_content}


def make_task(instance_id: str, problem_statement: str, files: Sequence[SourceFile]) -> Task:
    """Return a task with its files in an order that depends on nothing but the id."""
    order = sorted(files, key=lambda file: file.path)
    random.Random(hashlib.sha256(instance_id.encode()).digest()).shuffle(order)
    return Task(instance_id, problem_statement, order)


def write_parquet(path: Path, rows: Sequence[msgspec.Struct], kind: type[msgspec.Struct]) -> None:
    """Write records atomically (zstd, row groups of 200); an empty list keeps the columns of `kind`."""
    names = list(kind.__struct_fields__)
    data: list[dict[str, Any]] = [msgspec.to_builtins(row) for row in rows]
    table = pa.Table.from_pylist(data) if data else pa.table({name: pa.array([], pa.string()) for name in names})
    with replacing(path) as temporary:
        pq.write_table(table.select(names), temporary, compression="zstd", row_group_size=ROW_GROUP)


def read_parquet(path: Path, kind: type[R]) -> list[R]:
    """Read records back, type-checked. Raises UserError naming file and field if the file does not fit `kind`."""
    try:
        return msgspec.convert(pq.read_table(path).to_pylist(), list[kind])  # type: ignore[valid-type]
    except (msgspec.ValidationError, pa.ArrowInvalid) as error:
        raise UserError(f"{path} does not hold {kind.__name__} records: {error}; delete it and run again") from None
