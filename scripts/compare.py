"""Compare finished runs of one stage: python scripts/compare.py results/laptop/grpo/*/seed* [--metric NAME]."""

import argparse
from pathlib import Path

from openswerl.compare import compare, draw, read_runs, table
from openswerl.stage import one_line


def main() -> None:
    """Print the table, and draw it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="folders that hold a result.json")
    parser.add_argument("--metric", help="a key of metrics.jsonl; the usual one of the stage by default")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="an SVG to draw, such as compare.svg")
    arguments = parser.parse_args()
    with one_line("compare"):
        runs, metric = read_runs(arguments.folders, arguments.metric)
    rows = compare(runs)
    print(table(rows, metric), end="")
    if arguments.plot:
        draw(rows, metric, arguments.plot)


if __name__ == "__main__":
    main()
