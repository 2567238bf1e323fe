"""GitHub's answers on disk, so that nothing is asked twice: a kill loses at most the question under way."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self

import msgspec

from openswerl.crawl.github.state import Answer, Candidate

ANSWERS = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT, number INTEGER, updated_at TEXT, answer BLOB, PRIMARY KEY (key, number, updated_at)) WITHOUT ROWID"""
RAW = """
CREATE TEMP TABLE raw (
  key TEXT, number INTEGER, updated_at TEXT, repo TEXT, candidate BLOB, PRIMARY KEY (key, number, updated_at))"""
WANTED = """
CREATE TEMP TABLE wanted AS SELECT key, number, updated_at, candidate FROM raw
  ORDER BY lower(repo), number, updated_at, key"""
JOINED = "FROM wanted LEFT JOIN answers USING (key, number, updated_at)"


class Answers:
    """The answers, by repository id (its name if unknown), number and `updated_at`; a context manager."""

    def __init__(self, path: Path, wanted: Iterable[Candidate]) -> None:
        self.database = sqlite3.connect(path)
        with self.database:
            self.database.execute(ANSWERS)
            self.database.execute(RAW)
            rows = ((*_key(one), one.repo, msgspec.json.encode(one)) for one in wanted)
            self.database.executemany("INSERT OR IGNORE INTO raw VALUES (?, ?, ?, ?, ?)", rows)
            self.database.execute(WANTED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    def put(self, batch: Sequence[Candidate], answers: Sequence[Answer | None]) -> None:
        """Keep the answers that there are."""
        rows = [(*_key(one), msgspec.json.encode(answer)) for one, answer in zip(batch, answers, strict=True) if answer]
        with self.database:
            self.database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)

    def unanswered(self, size: int) -> Iterator[list[Candidate]]:
        """Yield the candidates without an answer, `size` at a time, in order; answers may be put meanwhile."""
        last = 0
        while True:
            query = f"SELECT wanted.rowid, candidate {JOINED} WHERE wanted.rowid > ? AND answer IS NULL LIMIT ?"
            rows = self.database.execute(query, (last, size)).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield [msgspec.json.decode(row[1], type=Candidate) for row in rows]

    def counts(self) -> tuple[int, int]:
        """Return how many candidates there are, and how many have no answer."""
        wanted, answered = self.database.execute(f"SELECT count(*), count(answer) {JOINED}").fetchone()
        return wanted, wanted - answered

    def __iter__(self) -> Iterator[tuple[Candidate, Answer]]:
        """Yield the candidates that have an answer, by repository, number and time."""
        query = f"SELECT candidate, answer {JOINED} WHERE answer IS NOT NULL ORDER BY wanted.rowid"
        with closing(self.database.execute(query)) as rows:
            for candidate, answer in rows:
                yield msgspec.json.decode(candidate, type=Candidate), msgspec.json.decode(answer, type=Answer)


def _key(candidate: Candidate) -> tuple[str, int, str]:
    known = candidate.repo.lower() if candidate.repo_id is None else str(candidate.repo_id)
    return known, candidate.number, candidate.updated_at
