"""Compare pull requests with one another, in DuckDB: one of each group stays, the earliest merged.

Ties go by repository and number. Memory is capped, but for one byte a shared key.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from openswerl.curate.sketches import VALUES, similarity
from openswerl.schema import Curate

BATCH = 10_000
SETUP = """
CREATE VIEW all_rows AS FROM read_parquet('{folder}/rows.parquet');
CREATE TABLE alive AS
  SELECT row_number() OVER (ORDER BY merged_at, lower(repo), number, position) - 1 AS rank, position, revert,
    pull_key, title_key
  FROM all_rows WHERE step IS NULL;
CREATE VIEW keys AS
  SELECT rank, kind, key FROM read_parquet('{folder}/keys.parquet') JOIN alive USING (position);
CREATE VIEW bands AS SELECT rank, key FROM read_parquet('{folder}/bands.parquet') JOIN alive USING (position);
CREATE VIEW sketches AS SELECT rank, sketch FROM read_parquet('{folder}/sketches.parquet') JOIN alive USING (position);
CREATE TABLE grouped (position BIGINT, step VARCHAR, reason VARCHAR);
CREATE TABLE losers (rank BIGINT, reason VARCHAR);
"""
DROP = """
INSERT INTO grouped SELECT position, '{step}', reason FROM losers JOIN alive USING (rank);
DELETE FROM alive USING losers WHERE alive.rank = losers.rank;
DELETE FROM losers;
"""
REVERTS = """
INSERT INTO losers
  SELECT rank, CASE WHEN revert THEN 'revert' ELSE 'reverted' END FROM alive
  WHERE revert OR pull_key IN (SELECT key FROM keys WHERE kind = 'reverts')
    OR title_key IN (SELECT key FROM keys WHERE kind = 'reverts_title')
"""
# A commit that is cited stands for the earliest pull request that holds it. A title on a maintenance branch is that of
# a pull request to the default branch only if there is one such at most.
BACKPORTS = """
WITH cited AS (SELECT DISTINCT key FROM keys WHERE kind = 'cites'),
copied AS (
  SELECT key FROM keys WHERE kind IN ('trunk', 'branch')
  GROUP BY key HAVING count(*) FILTER (kind = 'trunk') <= 1 AND count(*) FILTER (kind = 'branch') >= 1
)
SELECT rank, key FROM keys WHERE kind IN ('pull', 'cites')
UNION ALL SELECT min(rank), key FROM keys JOIN cited USING (key) WHERE kind = 'holds' GROUP BY key
UNION ALL SELECT rank, key FROM keys JOIN copied USING (key) WHERE kind IN ('trunk', 'branch')
"""
# Every member of a bucket is compared with the earliest one, so that the number of pairs is linear.
CANDIDATES = """
WITH buckets AS (SELECT key, min(rank) AS first FROM bands GROUP BY key HAVING count(*) > 1),
pairs AS (SELECT DISTINCT first, rank AS later FROM bands JOIN buckets USING (key) WHERE rank <> first)
SELECT first, later, a.sketch, b.sketch
FROM pairs JOIN sketches a ON a.rank = first JOIN sketches b ON b.rank = later
"""


class Grouping:
    """The pull requests that are left, and the steps that drop some of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path, cfg: Curate) -> None:
        self.connection, self.cfg = connection, cfg
        connection.execute(SETUP.format(folder=str(folder).replace("'", "''")))
        self.steps: dict[str, Callable[[], object]] = {
            "reverts": lambda: connection.execute(REVERTS),
            "same_patch": lambda: self.keep_first("same_patch", "SELECT rank, key FROM keys WHERE kind = 'patch'"),
            "same_issue": lambda: self.keep_first("same_issue", "SELECT rank, key FROM keys WHERE kind = 'issue'"),
            "backports": lambda: self.keep_first("backport", BACKPORTS),
            "near_duplicates": self.near_duplicates,
        }

    def run(self) -> None:
        """Take the configured steps in their order."""
        for step in self.cfg.groupings:
            self.steps[step]()
            self.connection.execute(DROP.format(step=step))

    def keep_first(self, reason: str, members: str) -> None:
        """Drop every pull request of which a kept one, merged before it, has a key; `members` selects (rank, key)."""
        self.connection.execute(f"CREATE OR REPLACE TABLE members AS SELECT DISTINCT rank, key FROM ({members})")
        self.connection.execute(
            "CREATE OR REPLACE TABLE shared AS SELECT key, row_number() OVER () - 1 AS slot FROM members "
            "GROUP BY key HAVING count(*) > 1"
        )
        [(slots,)] = self.connection.execute("SELECT count(*) FROM shared").fetchall()
        query = "SELECT rank, slot FROM members JOIN shared USING (key) ORDER BY rank, slot"
        pairs = (pair for batch in self._stream(query) for pair in zip(*batch.to_pydict().values(), strict=True))
        self._lose(losers(pairs, slots), reason)

    def near_duplicates(self) -> None:
        """Drop changes whose sketch is that of an earlier one, by `min_similarity`."""
        self.connection.execute("CREATE OR REPLACE TABLE edges (rank BIGINT, key BIGINT)")
        count = 0
        for batch in self._stream(CANDIDATES):
            ranks = [batch.column(i).to_numpy() for i in (0, 1)]
            drawn = [
                np.frombuffer(b"".join(batch.column(i).to_pylist()), np.uint32).reshape(-1, VALUES) for i in (2, 3)
            ]
            alike = similarity(*drawn) >= self.cfg.min_similarity
            keys = np.arange(count, count + alike.sum())
            for side in ranks:
                self._insert("edges", pa.table({"rank": side[alike], "key": keys}))
            count += len(keys)
        self.keep_first("near_duplicate", "SELECT rank, key FROM edges")

    def _stream(self, query: str) -> pa.RecordBatchReader:
        """Return a result in batches; its cursor leaves the connection free for other statements."""
        return self.connection.cursor().sql(query).to_arrow_reader(BATCH)

    def _lose(self, ranks: Iterator[int], reason: str) -> None:
        while batch := list(islice(ranks, BATCH)):
            self._insert("losers", pa.table({"rank": batch, "reason": [reason] * len(batch)}))

    def _insert(self, table: str, rows: pa.Table) -> None:
        self.connection.register("inserted", rows)
        self.connection.execute(f"INSERT INTO {table} FROM inserted")
        self.connection.unregister("inserted")


def losers(pairs: Iterable[tuple[int, int]], slots: int) -> Iterator[int]:
    """Yield the ranks that meet a slot that a kept rank has taken; `pairs` are (rank, slot) in order of rank."""
    taken = bytearray(slots)
    for rank, group in groupby(pairs, itemgetter(0)):
        mine = [slot for _, slot in group]
        if any(taken[slot] for slot in mine):
            yield rank
        else:
            for slot in mine:
                taken[slot] = 1
