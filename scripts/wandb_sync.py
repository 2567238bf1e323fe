"""Send the finished results of a graph to W&B; overrides as of any stage: scale=smoke experiment=kl."""

import sys

from openswerl.config import Cell
from openswerl.stage import one_line
from openswerl.tracking.sync import sync

if __name__ == "__main__":
    with one_line("wandb_sync"):
        sync(Cell("report", tuple(sys.argv[1:])))
