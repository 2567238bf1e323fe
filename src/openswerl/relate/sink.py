"""The files of the stage, written as the instances come; all appear together at the end."""

import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import msgspec

from openswerl.files import replacing
from openswerl.parquet import ParquetSink
from openswerl.records import Instance
from openswerl.relate.making import Made

LINES = ("instances.jsonl", "related.jsonl", "dropped.jsonl")


class Sink:
    """instances.parquet and .jsonl, related.jsonl, dropped.jsonl, and the counts of what went into them."""

    def __init__(self, out: Path) -> None:
        self.out, self.stack = out, ExitStack()
        self.seeds = self.instances = self.shown = 0
        self.dropped, self.passed_over = Counter[str](), Counter[str]()

    def __enter__(self) -> Self:
        self.parquet = self.stack.enter_context(ParquetSink(self.out / "instances.parquet", Instance))
        paths = [self.stack.enter_context(replacing(self.out / name)) for name in LINES]
        self.files = [self.stack.enter_context(path.open("w", encoding="ascii")) for path in paths]
        return self

    def __exit__(self, *failure: Any) -> None:
        self.stack.__exit__(*failure)

    def write(self, made: Made) -> None:
        """Write what became of one seed."""
        instances, related, dropped = self.files
        self.seeds += 1
        if made.instance is None:
            self.dropped[made.reason] += 1
            dropped.write(line({"repo": made.repo, "number": made.number, "reason": made.reason}))
            return
        self.instances += 1
        self.parquet.write(made.instance)
        instances.write(line(made.instance))
        for row in made.related:
            related.write(line(row))
            self.shown += row.outcome == "chosen"
            self.passed_over.update([row.outcome] if row.outcome != "chosen" else [])

    def summary(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "seeds": self.seeds,
            "instances": self.instances,
            "dropped": dict(sorted(self.dropped.items())),
            "related_files": self.shown,
            "passed_over": dict(sorted(self.passed_over.items())),
        }


def line(row: Any) -> str:
    """Return one line of JSON: ASCII, as text may hold what UTF-8 cannot, with sorted keys."""
    return json.dumps(msgspec.to_builtins(row), sort_keys=True) + "\n"
