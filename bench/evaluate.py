"""Benchmarks of evaluation: the local backend, the laptop's, reranking. python bench/evaluate.py; last line JSON."""

import json
from typing import Any

from train import run

PARTS = ("evaluate_local.py", "evaluate_laptop.py", "evaluate_rerank.py")


def main() -> None:
    found: dict[str, Any] = {}
    for part in PARTS:
        found |= run(part)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
