"""The first pass: judge every pull request by itself, and write down what the groupings compare."""

import sys
from pathlib import Path

from openswerl.curate.change import Change
from openswerl.curate.decontaminate import contamination
from openswerl.curate.keys import is_revert, keys, pull_key, title_key
from openswerl.curate.labels import label
from openswerl.curate.rules import Rules
from openswerl.curate.sketches import shingles
from openswerl.curate.steps import FILTERS, SEEDS, first_reason
from openswerl.curate.tables import Tables
from openswerl.parquet import iter_parquet
from openswerl.records import PullRequest

PROGRESS = 100_000


def scan(source: Path, folder: Path, rules: Rules) -> int:
    """Write the tables of all pull requests in a file, and return how many there are; one row group is in memory."""
    count = 0
    with Tables(folder) as tables:
        for count, pull in enumerate(iter_parquet(source, PullRequest), 1):
            add(tables, count - 1, Change(pull), rules)
            if tables.full:
                tables.flush()
            if count % PROGRESS == 0:
                print(f"curate: {count:,} pull requests", file=sys.stderr, flush=True)
    return count


def add(tables: Tables, position: int, change: Change, rules: Rules) -> None:
    """Add one pull request's row and, if no filter drops it, its keys and shingles."""
    pull, cfg = change.pull, rules.cfg
    dropped = first_reason(change, rules, cfg.filters, FILTERS)
    found = contamination(change, rules) if dropped and dropped[0] == "decontaminate" else None
    no_seed = None if dropped else first_reason(change, rules, cfg.seeds, SEEDS)
    tables.rows.append(
        (
            position,
            pull.repo,
            pull.number,
            pull.merged_at,
            *(dropped or (None, None)),
            *(no_seed or (None, None)),
            label(change, rules),
            *((found.benchmark, found.overlap) if found else (None, None)),
            is_revert(pull),
            pull_key(pull.repo, pull.number),
            title_key(pull.repo, pull.title),
        )
    )
    if dropped:
        return
    tables.keys += [(position, kind, key) for kind, key in keys(change)]
    if "near_duplicates" in cfg.groupings and len(found_shingles := shingles(change)) >= cfg.min_shingles:
        tables.add_shingles(position, found_shingles)
