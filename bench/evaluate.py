"""Benchmarks of evaluation: the local backend, the laptop's, reranking. python bench/evaluate.py; last line JSON."""

import json

from parts import run_parts

if __name__ == "__main__":
    print(json.dumps(run_parts(["evaluate_local", "evaluate_laptop", "evaluate_rerank"])))
