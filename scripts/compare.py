"""Compare finished runs of one stage: python scripts/compare.py results/laptop/grpo/*/seed* [--metric NAME]."""

import argparse
from pathlib import Path

from openswerl.compare import choose_metric, plot, read_run, rows_of, to_markdown
from openswerl.stage import one_line


def main() -> None:
    """Print the table, and draw it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="folders that hold a result.json")
    parser.add_argument("--metric", help="a key of metrics.jsonl; the usual one of the stage by default")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="an image to draw, such as compare.svg")
    arguments = parser.parse_args()
    with one_line("compare"):
        runs = [read_run(folder) for folder in arguments.folders]
        metric = choose_metric(runs, arguments.metric)
    rows = rows_of(runs, metric)
    print(to_markdown(rows, metric), end="")
    if arguments.plot:
        plot(rows, metric, arguments.plot)


if __name__ == "__main__":
    main()
