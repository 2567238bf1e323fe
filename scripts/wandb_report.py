"""Publish the W&B Report of a finished graph; overrides as of any stage: scale=smoke experiment=kl."""

import sys

from openswerl.config import Cell
from openswerl.report.wandb_publish import publish
from openswerl.stage import one_line

if __name__ == "__main__":
    with one_line("wandb_report"):
        print(f"wandb_report: {publish(Cell('report', tuple(sys.argv[1:])))}")
