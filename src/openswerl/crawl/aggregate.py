"""Events to merged pull requests with issues and conversation, out of core (paper 2, appendix A). Rules: sql/*.sql.

A pull request is known by (repository id, number), as names change hands; without an id, by the name.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from openswerl.archive.columns import EVENTS
from openswerl.crawl import SQL
from openswerl.crawl.github.state import Candidate
from openswerl.crawl.links import KEYWORDS, closing_references
from openswerl.database import SHARE, Database, database
from openswerl.parquet import write_tables
from openswerl.records import MergedPull

FROM_API = "github-api"  # what `file` says of GitHub's answers
CHUNK = 10_000
ROWS_PER_MB = 5  # pull requests with their conversation for each MB of memory
EVENT_COUNTS = "SELECT type, count(*) FROM events WHERE NOT from_api(file) GROUP BY type ORDER BY type"
UNDECIDED = """
SELECT repo, repo_id, number, updated_at, base_sha, head_sha, file, "offset"
FROM undecided ORDER BY lower(repo), number, key
"""


class Undecided(Candidate, frozen=True):
    """A candidate, and the event behind it; texts are empty if unknown."""

    file: str
    offset: int


class Aggregated(NamedTuple):
    """Files of records.MergedPull and of Undecided, by lower-case repository and number, and what was counted."""

    pulls: Path
    undecided: Path
    counts: dict[str, Any]


def aggregate(hours: Sequence[Path], scratch: Path, memory_mb: int, repositories: Sequence[str]) -> Aggregated:
    """Fold events into `scratch`/pulls.parquet; the order of files and the number of threads do not matter.

    `hours`: Parquet files of archive/columns.py. `repositories`, if any, limits whose pull requests are used.
    """
    pulls = scratch / "pulls.parquet"
    with _events(hours, scratch, memory_mb, repositories) as data:
        data.script("pulls")
        data.gather("wide_pulls")
        _link(data, scratch / "database" / "links.csv")
        data.gather("remarks")
        data.script("conversation")
        data.gather("comments")
        write_tables(pulls, _records(data), MergedPull)
        return Aggregated(pulls, _undecided(data, scratch), _counts(data))


def undecided(hours: Sequence[Path], scratch: Path, memory_mb: int, repositories: Sequence[str]) -> Path:
    """Return a file of Undecided, by lower-case repository and number: what GitHub has to be asked about."""
    with _events(hours, scratch, memory_mb, repositories) as data:
        return _undecided(data, scratch)


@contextmanager
def _events(hours: Sequence[Path], scratch: Path, memory_mb: int, repositories: Sequence[str]) -> Iterator[Database]:
    """Open a database that knows the states of all pull requests."""
    with database(scratch / "database", memory_mb, SQL) as data:
        empty = scratch / "database" / "none.parquet"
        pq.write_table(EVENTS.empty_table(), empty)
        data.rows(f"CREATE MACRO from_api(file) AS file = '{FROM_API}'")
        data.load([empty, *sorted(hours)])
        data.rows(
            "CREATE TABLE repositories AS SELECT lower(unnest($names::VARCHAR[])) AS name", names=list(repositories)
        )
        every = "(SELECT count(*) = 0 FROM repositories)"
        data.rows(f"CREATE MACRO chosen(repo) AS {every} OR lower(repo) IN (SELECT name FROM repositories)")
        unnamed = "(SELECT lower(repo) AS name, created_at FROM events WHERE repo_id IS NULL)"
        data.script("name_ids", wanted=unnamed, into="event_ids")
        data.script("keyed")
        data.gather("states")
        yield data


def _link(data: Database, path: Path) -> None:
    """Find closing keywords, which needs Python, between two queries."""
    query = f"""
        SELECT rank, repo, coalesce(title, '') || chr(10) || coalesce(body, '') AS text
        FROM wide_pulls WHERE regexp_matches(text, '(?i)(?:{KEYWORDS})[: \t]')
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        for table in data.stream(query, CHUNK):
            csv.writer(file).writerows(_links(table.to_pylist()))
    data.script("links", path=str(path).replace("'", "''"))
    named = "(SELECT lower(repo) AS name, merge_time AS created_at FROM links WHERE NOT own)"
    data.script("name_ids", wanted=named, into="link_ids")
    data.script("targets")
    data.gather("mentions")
    data.script("links_to_issues")
    data.gather("issue_texts")


def _links(pulls: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield rank, position, repo, number, link; as text, since pyarrow loads pandas to take Python objects."""
    for pull in pulls:
        for position, reference in enumerate(closing_references(pull["text"], pull["repo"])):
            yield (pull["rank"], position, *reference)


def _records(data: Database) -> Iterator[pa.Table]:
    """Yield the records in order, a bounded number at a time. The file's writer needs memory for its row groups."""
    data.limit(SHARE / 2)
    step = ROWS_PER_MB * data.memory_mb
    for start in range(0, data.count("FROM pulls"), step):
        yield data.table("assemble.sql", start=start, stop=start + step)


def _undecided(data: Database, scratch: Path) -> Path:
    path = scratch / "undecided.parquet"
    data.script("last_closed")
    data.gather("undecided")
    write_tables(path, data.stream(UNDECIDED, CHUNK), Undecided)
    return path


def _counts(data: Database) -> dict[str, Any]:
    merged, chosen = data.count("FROM merged_pulls"), data.count("FROM pulls")
    return {
        "events": dict(data.rows(EVENT_COUNTS)),
        "merged": merged,
        "repository_not_chosen": merged - chosen,
        "linked_issues": {
            "all": data.count("FROM links_to_issues"),
            "with_text": data.count("FROM issue_texts WHERE title <> '' OR body <> ''"),
            "text_after_merge": data.count("FROM links_to_issues WHERE late"),
            "links_to_pull_requests": data.count("FROM targets") - data.count("FROM links_to_issues"),
        },
        "comments": {
            "kept": data.count("FROM comments"),
            "after_merge": data.count("FROM conversation WHERE said_at > merge_time"),
        },
    }
