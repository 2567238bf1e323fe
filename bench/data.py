"""All data benchmarks, one after the other: python bench/data.py. The last line is one JSON with every figure."""

import json

from parts import run_parts


def main() -> None:
    figures = run_parts(["data_reader", "data_aggregate", "data_curate"])
    figures["scaling_1m_vs_500k"] = max(figures["aggregate_1m_vs_500k"], figures["curate_1m_vs_500k"])
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
