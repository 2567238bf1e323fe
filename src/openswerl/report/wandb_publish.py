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
    (folder,) = required(cell).values()
    import wandb

    from openswerl.report.wandb_report import build

    try:
        api = wandb.Api()
        report = build(cell, folder, str(api.default_entity))
        report.id = id_of(api, report)
        return str(report.save().url)
    except wandb.Error as error:
        raise UserError(f"W&B: {' '.join(str(error).split())}") from None


def id_of(api: Any, report: Any) -> str:
    """Return the id of the report that has this title; "" if there is none."""
    if report.project not in {project.name for project in api.projects(report.entity)}:
        return ""
    known = api.reports(f"{report.entity}/{report.project}")
    return next((one.id for one in known if one.display_name == report.title), "")
