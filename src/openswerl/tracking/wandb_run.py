"""One W&B run of one result: `<stage>-<digest>`, grouped by experiment, the stage's own config."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.tracking.artifacts import inputs_of, record_inputs, result_artifact
from openswerl.tracking.flat import flat, is_spread
from openswerl.tracking.mirror import Mirror

# Of the machine, its packages and the code nothing is recorded. A network that died does not hold a stage that is done
# for more than ten minutes: wandb_sync.py makes up for it.
SETTINGS: dict[str, Any] = {
    "console": "off",
    "host": "",
    "program": "",
    "x_disable_stats": True,
    "x_disable_meta": True,
    "x_save_requirements": False,
    "disable_git": True,
    "disable_job_creation": True,
    "finish_timeout": 600,
}


class WandbRun(Mirror):
    """An open W&B run. What an online run has from before a kill is not told again: `run.starting_step` is after it."""

    def __init__(self, cell: Cell, run: Any) -> None:
        self.cell, self.run = cell, run
        self.told: set[str] = set()
        self.last: set[str] = set()

    def log(self, row: Mapping[str, Any]) -> None:
        """Send numbers, and spreads as histograms."""
        values = flat({key: value for key, value in row.items() if key != "step"})
        self.told, self.last = self.told | values.keys(), set(values)
        self._put(row["step"], {key: _histogram(it) if is_spread(it) else it for key, it in values.items()})

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Send a table of texts."""
        import wandb

        columns: list[str | int] = [*rows[0]]
        data = [[str(row.get(column)) for column in rows[0]] for row in rows]
        self._put(step, {name: wandb.Table(columns=columns, data=data)})

    def picture(self, step: int, name: str, path: Path) -> None:
        """Send an image."""
        import wandb

        self._put(step, {name: wandb.Image(str(path))})

    def alert(self, step: int, name: str, text: str) -> None:
        """Send an alert, which W&B forwards as the user has set there."""
        if step >= self.run.starting_step:
            self.run.alert(f"{name} at step {step + 1}"[:63], f"{self.cell.name}: {text}", level="WARN")

    def close(self, result: Mapping[str, Any]) -> None:
        """Send the numbers of the result as `result/...`, the artifact and, online, what it was made from.

        The summary is the last row, so what that lacks, such as a reason that no answer failed for, goes.
        """
        for name in (self.told - self.last).intersection(self.run.summary.keys()):
            del self.run.summary[name]
        self.run.summary.update(flat({"result": result}))
        if not self.run.offline:
            for missing in record_inputs(self.run, self.cell):
                line = (
                    f"W&B has no artifact {missing} that {self.cell.name} comes from; wandb_sync.py sends and links it"
                )
                print(f"warning: {line}", file=sys.stderr, flush=True)
        self.run.log_artifact(result_artifact(self.cell), aliases=[self.cell.digest])
        self.run.finish()

    def _put(self, step: int, values: dict[str, Any]) -> None:
        if step >= self.run.starting_step:
            self.run.log(values, step=step)


def offline_run(cell: Cell) -> WandbRun:
    """Open an offline run in the cell's folder. It takes the place of an earlier one, to which nothing can be added."""
    shutil.rmtree(cell.folder / "wandb", ignore_errors=True)
    return WandbRun(cell, start(cell, mode="offline", folder=cell.folder))


def online_run(cell: Cell, folder: Path) -> WandbRun:
    """Open a run at the server, or go on with it. Raises wandb.Error if the server cannot be reached or refuses."""
    run = start(cell, mode="online", folder=folder, resume="allow")
    print(f"{cell.stage}: W&B {run.url}", flush=True)
    return WandbRun(cell, run)


def start(cell: Cell, *, mode: str, folder: Path, **options: Any) -> Any:
    """Call wandb.init for a cell."""
    quiet()
    import wandb

    return wandb.init(
        project=cell.cfg.tracking.project,
        mode=mode,  # type: ignore[arg-type]
        id=f"{cell.stage}-{cell.digest}",
        name=cell.label,
        group=cell.group,
        job_type=cell.stage,
        dir=str(folder),
        config=config_of(cell),
        settings=wandb.Settings(**SETTINGS),
        **options,
    )


def config_of(cell: Cell) -> dict[str, Any]:
    """Return the stage's own slice of the config, and what the result was made from, which offline runs cannot link."""
    return {**cell.settings, "inputs": inputs_of(cell)}


def check_login() -> None:
    """Raise UserError unless W&B has credentials of the form that it wants; the server is not asked."""
    quiet()
    os.environ["WANDB_MODE"] = "online"  # tracking.wandb=online over WANDB_MODE=offline
    import wandb

    try:
        found = wandb.login(prompt=False, verify=False)
    except wandb.Error as error:
        raise UserError(f"W&B: {error}") from None
    if not found:
        raise UserError(
            "W&B has no login: run `wandb login`, or set WANDB_API_KEY; tracking.wandb=offline needs neither"
        )


def quiet() -> None:
    """Keep wandb from printing, and from reporting its own errors to its makers; before wandb is imported."""
    os.environ.setdefault("WANDB_SILENT", "true")
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")


def _histogram(spread: Mapping[str, Any]) -> Any:
    import numpy as np
    import wandb

    counts = spread["counts"]
    return wandb.Histogram(np_histogram=(counts, np.linspace(spread["low"], spread["high"], len(counts) + 1)))
