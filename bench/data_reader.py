"""Speed and memory of the archive reader beside other readers: python bench/data_reader.py [FOLDER OF HOUR FILES].

Without a folder at least 100 MB are put together out of the real extracts in OPENSWERL_DATA, or else generated. Rounds
are interleaved, each reading in a process of its own; the best wall time of each counts, relative to decompression
alone. The last line is JSON.
"""

import collections
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from isal import isal_zlib

from openswerl.archive.events import WANTED, HourReader
from openswerl.archive.hour import ENVIRONMENT, keep_small, make_hour

ROUNDS = 5
SLOW_ROUNDS = 2
SIZE = 100_000_000
KINDS = "|".join(WANTED).encode()
HEAD = re.compile(rb'\{"id":"\d+","type":"(?:(' + KINDS + rb')|\w+)"')
# Of the 7,427 lines of hour 2015-01-01-1, 1,359 are of the wanted types.
OTHERS = (7427 - 1359) / 1359


def real_lines(folder: Path) -> Iterator[bytes]:
    """Yield the wanted lines of two hours of 2015 as often as needed, among other real lines in the share they have."""
    names = ("2015-01-01-0.prissue", "2015-01-01-1.prissue", "random-sample-2014-2021", "2021-07-21-few-hours")
    files = [gzip.decompress((folder / f"{name}.json.gz").read_bytes()).splitlines(keepends=True) for name in names]
    fillers = [line for lines in files for line in lines if (head := HEAD.match(line)) and not head[1]]
    hours = [[line for line in lines if (head := HEAD.match(line)) and head[1]] for lines in files[:2]]
    rng, size = random.Random(0), 0
    while size < SIZE:
        for wanted in hours:
            lines = wanted + rng.choices(fillers, k=round(len(wanted) * OTHERS))
            rng.shuffle(lines)
            size += sum(map(len, lines))
            yield from lines


def made_lines() -> Iterator[bytes]:
    """Yield generated events of like sizes and in the same shares."""
    rng, size = random.Random(0), 0
    while size < SIZE:
        kind = rng.choice(WANTED) if rng.random() < 1 / (1 + OTHERS) else "PushEvent"
        count = 15 if kind == "PushEvent" else 130
        words = " ".join(f"https://api.github.com/repos/acme/widget/{rng.getrandbits(20):x}" for _ in range(count))
        line = json.dumps(made_event(kind, rng.randrange(1, 10**6), words), separators=(",", ":")).encode() + b"\n"
        size += len(line)
        yield line


def made_event(kind: str, number: int, words: str) -> dict[str, object]:
    user = {"login": "ann", "type": "User"}
    side = {"ref": "main", "sha": "a" * 40, "repo": {"id": 7, "full_name": "acme/widget", "description": words}}
    thing = {
        "number": number,
        "title": words[:40],
        "body": words[:300],
        "user": user,
        "updated_at": "2015-01-01T00:00:00Z",
    }
    payload = {
        "PushEvent": {"commits": [{"sha": "a" * 40, "message": words}]},
        "IssuesEvent": {"action": "opened", "issue": {**thing, "links": words}},
        "IssueCommentEvent": {
            "action": "created",
            "issue": {**thing, "links": words},
            "comment": {"body": words[:300]},
        },
    }.get(kind, {"action": "closed", "pull_request": {**thing, "head": side, "base": side, "merged": True}})
    return {
        "id": str(number),
        "type": kind,
        "actor": {"id": 1, "login": "ann"},
        "repo": {"id": 7, "name": "acme/widget"},
        "payload": payload,
        "public": True,
        "created_at": "2015-01-01T00:00:00Z",
    }


def input_files(folder: Path) -> list[Path]:
    """Return the hour files of the argument, or one that is made here."""
    if len(sys.argv) > 1:
        return sorted(Path(sys.argv[1]).glob("*.json.gz"))
    data = os.environ.get("OPENSWERL_DATA")
    lines = real_lines(Path(data) / "gharchive") if data else made_lines()
    path = folder / "2015-01-01-0.json.gz"
    with gzip.open(path, "wb", compresslevel=6) as file:
        file.writelines(lines)
    return [path]


def pieces(path: Path) -> Iterator[bytes]:
    stream = isal_zlib.decompressobj(wbits=31)
    with path.open("rb", buffering=0) as file:
        while data := file.read(1 << 15):
            yield stream.decompress(data)


def igzip(path: Path) -> int:
    return sum(map(len, pieces(path))) * 0


def stage(path: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return make_hour(path, Path(folder)).account.kept


def rows(path: Path, wanted: tuple[str, ...] = WANTED) -> int:
    return sum(map(len, HourReader(path, wanted).batches()))


def pulls(path: Path) -> int:
    return rows(path, ("PullRequestEvent",))


def lines_of(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as file:
        yield from file


def gzip_json(path: Path) -> int:
    return sum(json.loads(line)["type"] in WANTED for line in lines_of(path))


def gzip_orjson(path: Path) -> int:
    import orjson

    return sum(orjson.loads(line)["type"] in WANTED for line in lines_of(path))


def pandas_chunks(path: Path) -> int:
    import pandas

    chunks = pandas.read_json(path, lines=True, chunksize=2000, compression="gzip", dtype=False)
    return sum(int(chunk["type"].isin(WANTED).sum()) for chunk in chunks)


def polars_scan(path: Path) -> int:
    import polars

    issue = polars.Struct({"number": polars.Int64, "title": polars.String, "body": polars.String})
    payload = polars.Struct({"action": polars.String, "pull_request": issue, "issue": issue})
    schema = {"id": polars.String, "type": polars.String, "created_at": polars.String, "payload": payload}
    frame = polars.scan_ndjson(path, schema=schema, ignore_errors=True)
    return frame.filter(polars.col("type").is_in(WANTED)).collect(engine="streaming").height


def duckdb_json(path: Path) -> int:
    import duckdb

    issue = "STRUCT(number BIGINT, title VARCHAR, body VARCHAR)"
    payload = f"STRUCT(action VARCHAR, pull_request {issue}, issue {issue})"
    columns = f"{{id: 'VARCHAR', type: 'VARCHAR', created_at: 'VARCHAR', payload: '{payload}'}}"
    with duckdb.connect() as connection:
        table = f"read_json('{path}', format='newline_delimited', columns={columns})"
        return len(connection.sql(f"SELECT * FROM {table} WHERE type IN {WANTED}").to_arrow_table())


READERS: dict[str, Callable[[Path], int]] = {
    "igzip alone": igzip,
    "reader: the stage, with Parquet": stage,
    "reader: rows only": rows,
    "reader: rows of PullRequestEvent only": pulls,
}
PEERS: dict[str, Callable[[Path], int]] = {
    "gzip + json": gzip_json,
    "gzip + orjson": gzip_orjson,
    "polars scan_ndjson, some columns": polars_scan,
    "duckdb read_json, some columns": duckdb_json,
    "pandas read_json, chunks of 2000": pandas_chunks,
}


def measure(files: list[Path]) -> tuple[dict[str, float], dict[str, float], dict[str, int]]:
    """Return the best wall and CPU seconds, and the rows found."""
    wall: dict[str, float] = collections.defaultdict(lambda: 1e9)
    cpu: dict[str, float] = collections.defaultdict(lambda: 1e9)
    found: dict[str, int] = {}
    for turn in range(ROUNDS):
        for name in [*READERS, *(PEERS if turn < SLOW_ROUNDS else {})]:
            if name.startswith("pandas") and turn:
                continue
            seconds, cpu_seconds, found[name] = fresh("--time", name, *map(str, files))
            wall[name], cpu[name] = min(wall[name], seconds), min(cpu[name], cpu_seconds)
    return wall, cpu, found


def fresh(*arguments: str) -> list:
    """Run this file in a process of its own, as the stage does: what ran before in one changes its heap, and speed."""
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.check_output(command, env=os.environ | ENVIRONMENT, text=True))


def timed(name: str, files: list[Path]) -> list:
    """Return wall and CPU seconds of a second pass, and the rows found."""
    reader = {**READERS, **PEERS}[name]
    if not name.startswith("pandas"):
        keep_small()
    sum(map(reader, files))
    start, start_cpu = time.perf_counter(), time.process_time()
    found = sum(map(reader, files))
    return [time.perf_counter() - start, time.process_time() - start_cpu, found]


def peak_memory(path: Path) -> float:
    """Return the peak memory in MB of a process that reads one hour as the stage does."""
    keep_small()
    stage(path)
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak) / 1024


def composition(files: list[Path]) -> str:
    kinds: collections.Counter[str] = collections.Counter()
    size = lines = 0
    for path in files:
        for line in lines_of(path):
            head = HEAD.match(line)
            kinds[head[1].decode() if head and head[1] else "other"] += 1
            size, lines = size + len(line), lines + 1
    shares = ", ".join(f"{kind} {count / lines:.1%}" for kind, count in kinds.most_common())
    packed = sum(path.stat().st_size for path in files)
    return f"{size / 1e6:.0f} MB in {lines} lines ({packed / 1e6:.0f} MB gzip): {shares}"


def main() -> None:
    if sys.argv[1:2] == ["--time"]:
        return print(json.dumps(timed(sys.argv[2], [Path(name) for name in sys.argv[3:]])))
    if sys.argv[1:2] == ["--memory"]:
        return print(json.dumps([peak_memory(Path(sys.argv[2]))]))
    with tempfile.TemporaryDirectory() as folder:
        files = input_files(Path(folder))
        print(composition(files))
        memory = max(fresh("--memory", str(path))[0] for path in files)
        wall, cpu, found = measure(files)
    base, base_cpu = wall["igzip alone"], cpu["igzip alone"]
    print(f"{'':40}{'wall s':>8}{'x igzip':>9}{'x CPU':>8}{'rows':>8}")
    for name in wall:
        print(f"{name:40}{wall[name]:8.3f}{wall[name] / base:9.2f}{cpu[name] / base_cpu:8.2f}{found[name]:8}")
    reader, only_rows, only_pulls = (wall[name] for name in list(READERS)[1:])
    figures = {
        "reader_vs_igzip": reader / base,
        "reader_rows_vs_igzip": only_rows / base,
        "reader_pulls_vs_igzip": only_pulls / base,
        "reader_vs_gzip_json": wall["gzip + json"] / reader,
        "reader_rows_vs_gzip_json": wall["gzip + json"] / only_rows,
        "reader_rss_mb": memory,
    }
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
