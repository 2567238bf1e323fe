"""Choose the mirrors of a run by `tracking`."""

from collections.abc import Callable
from functools import partial

from openswerl.config import Cell
from openswerl.tracking import tensorboard, wandb_run
from openswerl.tracking.mirror import Late, Mirror


def open_mirror(cell: Cell) -> Mirror:
    """Return what a run of the cell is told to. Raises UserError for a package or a login that is missing."""
    tracking = cell.cfg.tracking
    openers: dict[str, Callable[[], Mirror]] = {}
    if tracking.wandb == "online":
        wandb_run.check_login()
        openers["W&B"] = partial(wandb_run.online_run, cell, cell.folder)
    elif tracking.wandb == "offline":
        openers["W&B"] = partial(wandb_run.offline_run, cell)
    if tracking.tensorboard:
        tensorboard.check_installed()
        openers["TensorBoard"] = partial(tensorboard.Events, cell.folder)
    return Late(cell.name, cell.folder, openers) if openers else Mirror()
