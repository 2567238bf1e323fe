"""The curate stage: merged pull requests in, RL seeds and the funnel out, in two passes over the file."""

import csv
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from omegaconf import OmegaConf

from openswerl.curate import funnel, steps
from openswerl.curate.benchmark import Benchmark
from openswerl.curate.grouping import Grouping
from openswerl.curate.rules import Rules
from openswerl.curate.scan import scan
from openswerl.database import database
from openswerl.parquet import open_parquet, write_tables
from openswerl.records import PullRequest
from openswerl.schema import Curate
from openswerl.stage import Job


def run(job: Job) -> dict[str, Any]:
    """Write pull_requests.parquet (the RL seeds), funnel.csv, dropped.jsonl, labels.csv and decontamination.csv.

    Raises UserError for an unknown step or unreadable benchmark rows.
    """
    cfg: Curate = OmegaConf.to_object(job.cfg.curate)  # type: ignore[assignment]
    steps.check(cfg)
    rules = Rules(cfg, Benchmark.load(cfg, laptop_benchmark(job.inputs.get("laptop"))))
    source = job.inputs["crawl"] / "pull_requests.parquet"
    total, seeds = curate(source, job.out, job.scratch, rules, job.cfg.memory_mb)
    dropped = dropped_by_reason(job.out / "funnel.csv")
    told = ", ".join(f"{reason} {count}" for reason, count in dropped.items())
    print(f"curate: {total} pull requests, {seeds} seeds; dropped: {told or 'none'}")
    return {"pull_requests": total, "seeds": seeds, "dropped": dropped}


def dropped_by_reason(path: Path) -> dict[str, int]:
    """Return the counts of a funnel.csv, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["reason"]: int(row["dropped"]) for row in csv.DictReader(file) if row["reason"]}


def curate(source: Path, out: Path, scratch: Path, rules: Rules, memory_mb: int) -> tuple[int, int]:
    """Take a file of pull requests through every step; return how many came in, and how many are seeds."""
    tables = scratch / "tables"
    total = scan(source, tables, rules)
    with database(scratch / "database", memory_mb) as base:
        Grouping(base.connection, tables, rules.cfg).run()
        funnel.write(base.connection, out, rules.cfg, total)
        positions = (position for (position,) in funnel.rows(base.connection, funnel.SEEDS))
        seeds = write_tables(out / "pull_requests.parquet", select(source, positions), PullRequest)
    shutil.rmtree(tables)
    return total, seeds


def select(source: Path, positions: Iterable[int]) -> Iterator[pa.Table]:
    """Yield the rows at these positions, which rise; row groups without any are not read."""
    wanted = chain(positions, [-1])
    position, start = next(wanted), 0
    with open_parquet(source) as file:
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            chosen = []
            while start <= position < start + rows:
                chosen.append(position - start)
                position = next(wanted)
            if chosen:
                yield file.read_row_group(group).take(pa.array(chosen))
            start += rows


def laptop_benchmark(laptop: Path | None) -> list[str]:
    """Return the repositories of a laptop world's mini benchmark."""
    return (laptop / "benchmark" / "repositories.txt").read_text(encoding="utf-8").split() if laptop else []
