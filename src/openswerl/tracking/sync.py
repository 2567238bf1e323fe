"""Send finished results to W&B, from their files: each becomes or completes the one run with its id."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from openswerl.config import Cell
from openswerl.disks import lock
from openswerl.errors import UserError
from openswerl.graph import preflight_cells
from openswerl.stage import read_result
from openswerl.tracking.replay import replay
from openswerl.tracking.wandb_run import check_login, online_run


def sync(report: Cell) -> None:
    """Send what is finished of the graph of a report, inputs first, so that each run can be linked to them.

    A run that W&B has gets the steps that it lacks. Raises UserError without a login or a server.
    """
    cells = in_order([*preflight_cells(report), report])
    check_login()
    sent = missing = 0
    for cell in cells:
        if finished(cell):
            send(cell)
            sent += 1
        else:
            missing += 1
    print(f"wandb_sync: {sent} runs sent, {missing} results not there")


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells and all before them, each once and after those that it reads."""
    order: dict[Cell, None] = {}
    for cell in cells:
        order |= dict.fromkeys([*in_order(cell.before), cell])
    return list(order)


def finished(cell: Cell) -> bool:
    """Whether the cell's result is there; one of another config is told of, and left."""
    try:
        return read_result(cell) is not None
    except UserError as error:
        print(f"wandb_sync: left out: {error}", file=sys.stderr)
        return False


def send(cell: Cell) -> None:
    """Tell W&B of one finished cell. Raises UserError if the server cannot be reached or refuses."""
    import wandb

    with lock(cell.folder), tempfile.TemporaryDirectory() as folder:
        try:
            run = online_run(cell, Path(folder))
        except wandb.Error as error:
            raise UserError(f"W&B: {' '.join(str(error).split())}") from None
        replay(cell.folder, run)
        run.close(read_result(cell) or {})
