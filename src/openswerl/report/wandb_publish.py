"""Publish the W&B Report that `wandb_report` defines."""

import importlib.util
from typing import Any

from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.stage import required
from openswerl.tracking.wandb_run import check_login


def publish(cell: Cell) -> str:
    """Save the report of a finished report cell, in the place of the one of the same title; returns its address.

    Raises UserError without a login, wandb-workspaces, or the cell's result, and if W&B refuses.
    """
    if importlib.util.find_spec("wandb_workspaces") is None:
        raise UserError("the W&B Report needs wandb-workspaces: pip install 'open-swe-rl[wandb-report]'")
    check_login()
    (folder,) = required(cell, cell).values()
    import wandb

    from openswerl.report.wandb_report import build

    try:
        api = wandb.Api()
        report = build(cell, folder, str(api.default_entity))
        report.id = id_of(api, report)
        return str(report.save().url)
    except UserError:
        raise
    except Exception as error:  # W&B's errors have no base class in common
        raise UserError(f"W&B: {type(error).__name__}: {' '.join(str(error).split())}") from None


def id_of(api: Any, report: Any) -> str:
    """Return the id of the report that has this title; "" if there is none. Raises UserError without the project."""
    place = f"{report.entity}/{report.project}"
    if report.project not in {project.name for project in api.projects(report.entity)}:
        raise UserError(f"W&B has no project {place}: send the runs first, by python scripts/wandb_sync.py")
    known = api.reports(place)
    return next((one.id for one in known if one.display_name == report.title), "")
