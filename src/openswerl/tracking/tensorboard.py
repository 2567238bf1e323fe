"""Event files for TensorBoard, by torch's own writer."""

import importlib.util
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.tracking.flat import flat, is_spread
from openswerl.tracking.mirror import Mirror

FOLDER = "tensorboard"


class Events(Mirror):
    """`<folder>/tensorboard/`, begun anew: a run that goes on after a kill tells all that it has on record."""

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        shutil.rmtree(folder / FOLDER, ignore_errors=True)
        self.writer = SummaryWriter(str(folder / FOLDER))

    def log(self, row: Mapping[str, Any]) -> None:
        """Write numbers as scalars, and spreads as histograms."""
        for name, value in flat({key: value for key, value in row.items() if key != "step"}).items():
            if is_spread(value):
                self._histogram(row["step"], name, value)
            elif isinstance(value, int | float):
                self.writer.add_scalar(name, value, row["step"])

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a table as a text."""
        lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
        lines += [" | ".join(_in_a_cell(value) for value in row.values()) for row in rows]
        self.writer.add_text(name, "\n".join(lines), step)

    def picture(self, step: int, name: str, path: Path) -> None:
        """Write an image."""
        from matplotlib.image import imread

        self.writer.add_image(name, imread(path), step, dataformats="HWC")

    def alert(self, step: int, name: str, text: str) -> None:
        """Write a text."""
        self.writer.add_text(f"alarm/{name}", text, step)

    def close(self, result: Mapping[str, Any]) -> None:
        """Write the numbers of the result as `result/...`."""
        self.log({"step": 0, "result": result})
        self.writer.close()

    def _histogram(self, step: int, name: str, spread: Mapping[str, Any]) -> None:
        """The sums are those of numbers in the middle of each part."""
        import numpy as np

        counts = np.asarray(spread["counts"], dtype=float)
        edges = np.linspace(spread["low"], spread["high"], len(counts) + 1)
        middles = (edges[:-1] + edges[1:]) / 2
        self.writer.add_histogram_raw(
            name,
            min=spread["low"],
            max=spread["high"],
            num=counts.sum(),
            sum=counts @ middles,
            sum_squares=counts @ middles**2,
            bucket_limits=edges[1:].tolist(),
            bucket_counts=counts.tolist(),
            global_step=step,
        )


def check_installed() -> None:
    """Raise UserError unless TensorBoard is installed, which torch's writer needs."""
    if importlib.util.find_spec("tensorboard") is None:
        raise UserError("tracking.tensorboard=true needs TensorBoard: pip install 'open-swe-rl[tensorboard]'")


def _in_a_cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", "<br>")
