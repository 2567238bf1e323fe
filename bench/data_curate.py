"""Time and memory of curate on synthetic pull requests: python bench/data_curate.py. The last line is JSON."""

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from omegaconf import OmegaConf

from openswerl.config import Cell
from openswerl.curate.benchmark import Benchmark
from openswerl.curate.rules import Rules
from openswerl.curate.run import curate
from openswerl.parquet import ROW_GROUP, arrow_schema
from openswerl.records import PullRequest

SIZES = (10_000, 100_000, 500_000, 1_000_000)
SCHEMA = arrow_schema(PullRequest)
WORDS = [f"{a}_{b}" for a in "get set parse write read open close merge split find".split() for b in range(300)]
TITLES = ["{} fails on empty input", "Fix crash in {}", "Add support for {}", "Wrong result from {}", "Update {} docs"]


def diff(rng: random.Random, path: str) -> str:
    """Return a diff of one or two kilobytes with two hunks."""
    parts = [f"diff --git a/{path} b/{path}\nindex {rng.getrandbits(160):040x}..{rng.getrandbits(160):040x} 100644\n"]
    parts.append(f"--- a/{path}\n+++ b/{path}\n")
    for hunk in range(2):
        lines = [f"{sign}    {' = '.join(rng.choices(WORDS, k=3))}({rng.randrange(999)})" for sign in "   ---+++++   "]
        parts.append(
            f"@@ -{hunk * 50 + 1},9 +{hunk * 50 + 1},11 @@ def {rng.choice(WORDS)}():\n" + "\n".join(lines) + "\n"
        )
    return "".join(parts)


def pull(rng: random.Random, number: int, earlier: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one pull request: bots, lock files, documentation, backports, reverts, copies, and people's changes."""
    kind = rng.choices(["bot", "lock", "docs", "backport", "revert", "copy", "change"], [8, 3, 8, 2, 1, 2, 76])[0]
    path = {"lock": "yarn.lock", "docs": "README.md"}.get(kind, f"src/{rng.choice(WORDS)}.py")
    row = {
        field.name: None if field.nullable else DEFAULTS[str(field.type)]
        for field in SCHEMA
        if str(field.type) in DEFAULTS
    }
    row |= {
        "repo": f"owner{number % 977}/project{number % 9973}",
        "number": number,
        "repo_id": number % 9973,
        "fork": False,
    }
    row |= {"title": rng.choice(TITLES).format(rng.choice(WORDS)), "body": " ".join(rng.choices(WORDS, k=40))}
    row |= {"author": "dependabot[bot]" if kind == "bot" else "ann", "author_type": "Bot" if kind == "bot" else "User"}
    row |= {
        "merged_at": f"20{number % 10 + 14}-01-01T{number % 24:02d}:00:00Z",
        "base_ref": "main",
        "default_branch": "main",
    }
    row |= {name: f"{rng.getrandbits(160):040x}" for name in ("base_sha", "head_sha", "merge_commit_sha", "merge_base")}
    row |= {"licence": rng.choice(["MIT", "MIT", "Apache-2.0", "GPL-3.0-only", ""]), "oracle_diff": diff(rng, path)}
    row |= {
        "issues": [issue(rng, row["repo"])] if rng.random() < 0.4 else [],
        "labels": [],
        "flags": [],
        "conversation": [],
    }
    row |= {"commits": [{"sha": row["head_sha"], "message": row["title"]}], "changed_files": [changed(rng, path)]}
    if kind in ("backport", "revert", "copy") and earlier:
        row |= again(kind, rng.choice(earlier))
    return row | {"oracle_diff_sha256": hashlib.sha256(row["oracle_diff"].encode()).hexdigest()}


def again(kind: str, first: dict[str, Any]) -> dict[str, Any]:
    """Return what a backport, a revert, or an edited copy of an earlier pull request has of its own."""
    if kind == "revert":
        return {"repo": first["repo"], "title": f'Revert "{first["title"]}"', "body": f"Reverts #{first['number']}"}
    if kind == "copy":
        return {"oracle_diff": first["oracle_diff"].replace("+    get_", "+    fetch_")}
    title = f"{first['title']} (backport #{first['number']})"
    return {
        "repo": first["repo"],
        "title": title,
        "base_ref": "1.x",
        "oracle_diff": first["oracle_diff"].replace("@@ -1,", "@@ -7,"),
    }


def issue(rng: random.Random, repo: str) -> dict[str, Any]:
    text = {"title": rng.choice(TITLES).format(rng.choice(WORDS)), "body": " ".join(rng.choices(WORDS, k=60))}
    return {"repo": repo, "number": rng.randrange(10**6), **text, "labels": [], "link": "number"}


def changed(rng: random.Random, path: str) -> dict[str, Any]:
    blobs = {name: f"{rng.getrandbits(160):040x}" for name in ("old_blob", "new_blob")}
    modes = {"status": "M", "old_mode": "100644", "new_mode": "100644"}
    return {"path": path, **modes, **blobs, "outcome": "text", "renamed_from": None}


DEFAULTS: dict[str, Any] = {"string": "", "int64": 0, "bool": False}


def tables(rows: int) -> Iterator[pa.Table]:
    """Yield the synthetic pull requests, a row group at a time; a longer file starts as a shorter one does."""
    rng = random.Random(0)
    earlier: list[dict[str, Any]] = []
    for start in range(0, rows, ROW_GROUP):
        group = [pull(rng, number, earlier) for number in range(start, min(rows, start + ROW_GROUP))]
        earlier = [*earlier[-4 * ROW_GROUP :], *group[::20]]
        yield pa.Table.from_pylist(group, SCHEMA)


def write(path: Path, rows: int) -> None:
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for table in tables(rows):
            writer.write_table(table, ROW_GROUP)


def child(source: Path, out: Path) -> None:
    """Run curate on a file, and print what it took."""
    view = Cell("curate").view()
    cfg = OmegaConf.to_object(view.curate)
    start, cpu = time.monotonic(), time.process_time()
    total, seeds = curate(source, out, out / "work", Rules(cfg, Benchmark.load(cfg)), view.memory_mb)
    taken = {"wall_s": round(time.monotonic() - start, 2), "cpu_s": round(time.process_time() - cpu, 2)}
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"rows": total, "seeds": seeds, **taken, "rss_mb": rss, "memory_mb": view.memory_mb}))


def measure(rows: int, repeats: int = 1) -> dict[str, Any]:
    """Return rows, seeds, wall_s, cpu_s, rss_mb and memory_mb of curate in a fresh process, the best of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "pull_requests.parquet")
        write(source, rows)
        command = [sys.executable, __file__, "--child", str(source), f"{folder}/out"]
        runs = [
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for _ in range(repeats)
        ]
    return min(runs, key=lambda run: run["cpu_s"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rows", nargs="+", type=int, default=SIZES)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
        return
    found = []
    for rows in arguments.rows:
        found.append(measure(rows, repeats=3 if rows <= 100_000 else 1))
        print(json.dumps(found[-1]), flush=True)
    last, before = found[-1], found[-2]
    ratio = round(last["cpu_s"] / before["cpu_s"] * (before["rows"] * 2 / last["rows"]), 3)
    print(json.dumps({"curate_1m_vs_500k": ratio, "curate_rss_mb": last["rss_mb"], "memory_mb": last["memory_mb"]}))


if __name__ == "__main__":
    main()
