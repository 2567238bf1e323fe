"""Time and memory of the aggregation of synthetic events: python bench/data_aggregate.py. The last line is JSON.

A pull request brings two events of its own, a comment and a review comment; every second one an issue, and every tenth
closes one. Each size is measured in a process of its own.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from openswerl.archive.columns import EVENTS
from openswerl.crawl.aggregate import aggregate

SIZES = (10_000, 100_000, 500_000, 1_000_000)
MEMORY_MB = 1000
PER_FILE = 5_000  # pull requests
EVENT = """
    'h' || n // 5000 AS file, n * 8 + {slot} AS "offset", n * 8 + {slot} AS event_id, '{type}' AS type,
    '{action}' AS action, 'ann' AS actor, 'o' || n // 40 || '/r' || n // 40 AS repo, n // 40 AS repo_id,
    strftime(TIMESTAMP '2015-01-01' + to_seconds(n * 60 + {after}), '%Y-%m-%dT%H:%M:%SZ') AS created_at
"""
WORDS = "repeat('The parser drops the last byte of a block. ' || md5(n::VARCHAR) || ' ', 1 + (n * 7 % 11)::INTEGER)"
PULL = f"""
    n % 40 * 2 + 1 AS number, 'Change ' || n AS title, 'ann' AS author, 'User' AS author_type, ['bug'] AS labels,
    {WORDS} || CASE WHEN n % 10 = 0 THEN ' Fixes #' || n % 40 * 2 + 2 ELSE '' END AS body,
    repeat(md5(n::VARCHAR), 2)[:40] AS base_sha, repeat(md5('h' || n), 2)[:40] AS head_sha, 'main' AS base_ref,
    'main' AS default_branch, false AS fork, 1 AS commits, 2 AS additions, 3 AS deletions, 1 AS changed_files,
    created_at AS updated_at
"""
ISSUE = f"n % 40 * 2 + 2 AS number, false AS is_pull, 'Issue ' || n AS title, {WORDS} AS body"
COMMENT = f"n % 40 * 2 + 1 AS number, n AS comment_id, 'bob' AS comment_author, {WORDS} AS comment_body"
KINDS = [
    ("IssuesEvent", "opened", 0, ISSUE, "n % 2 = 0"),
    ("PullRequestEvent", "opened", 60, f"{PULL}, false AS merged", "true"),
    ("IssueCommentEvent", "created", 120, f"{COMMENT}, created_at AS comment_at", "true"),
    ("PullRequestReviewCommentEvent", "created", 180, f"{COMMENT}, 'src/a.py' AS comment_path", "true"),
    ("PullRequestEvent", "closed", 3600, f"{PULL}, true AS merged, created_at AS merged_at", "true"),
]


def generate(folder: Path, rows: int) -> list[Path]:
    """Write the events of `rows` pull requests as the archive stage would."""
    paths = []
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("shape", EVENTS.empty_table())
        for start in range(0, rows, PER_FILE):
            connection.execute("CREATE OR REPLACE TABLE events AS FROM shape")
            for slot, (kind, action, after, columns, where) in enumerate(KINDS):
                head = EVENT.format(slot=slot, type=kind, action=action, after=after)
                numbers = f"range({start}, {min(start + PER_FILE, rows)}) AS numbers(n)"
                connection.execute(f"INSERT INTO events BY NAME SELECT {head}, {columns} FROM {numbers} WHERE {where}")
            table = connection.sql('FROM events ORDER BY created_at, "offset"').to_arrow_table().cast(EVENTS)
            paths.append(folder / f"{start:08}.parquet")
            pq.write_table(table, paths[-1], row_group_size=200, compression="zstd")
    return paths


def peak_rss_mb() -> int:
    """Return the peak memory of this program; getrusage would count the process that started it, too."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) >> 10


def run_one(folder: Path) -> None:
    """Aggregate the files of a folder in this process, and print what it took."""
    before = peak_rss_mb()
    start = time.perf_counter()
    found = aggregate(sorted(folder.glob("*.parquet")), folder / "scratch", MEMORY_MB, [])
    wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    times = {"wall_s": round(wall, 2), "cpu_s": round(usage.ru_utime + usage.ru_stime, 2)}
    print(json.dumps(times | {"rss_mb": peak_rss_mb(), "base_rss_mb": before} | found.counts))


def measure(rows: int) -> dict:
    """Return {rows, events, wall_s, cpu_s, rss_mb, base_rss_mb} of an aggregation in a fresh process."""
    with tempfile.TemporaryDirectory() as name:
        generate(Path(name), rows)
        done = subprocess.run([sys.executable, __file__, name], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["merged"] == rows and found["linked_issues"]["with_text"] == rows // 10, found
    assert found["comments"]["kept"] == 2 * rows, found
    names = ("wall_s", "cpu_s", "rss_mb", "base_rss_mb")
    return {"rows": rows, "events": sum(found["events"].values())} | {name: found[name] for name in names}


def main() -> None:
    results = []
    for rows in SIZES:
        results.append(measure(rows))
        print("  ".join(f"{name} {value}" for name, value in results[-1].items()), flush=True)
    half, whole = (next(found for found in results if found["rows"] == rows) for rows in SIZES[-2:])
    summary = {
        "aggregate_1m_vs_500k": round(whole["wall_s"] / half["wall_s"], 2),
        "aggregate_1m_vs_500k_cpu": round(whole["cpu_s"] / half["cpu_s"], 2),
        "aggregate_rss_mb": whole["rss_mb"],
        "base_rss_mb": whole["base_rss_mb"],
        "memory_mb": MEMORY_MB,
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    run_one(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
