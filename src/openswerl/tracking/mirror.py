"""Who is told what a run measures: nobody, or several that are opened at the first word."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openswerl.tracking.replay import replay


class Mirror:
    """Is told of a run, step by step, and passes on nothing. Its kinds pass on to W&B and to TensorBoard.

    Of one step first the metrics, then the rest; steps go up.
    """

    def log(self, row: Mapping[str, Any]) -> None:
        """Take the metrics of `row["step"]`: numbers, nested ones, and spreads {"low", "high", "counts"}."""

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take rows, one or more, that have the keys of the first."""

    def picture(self, step: int, name: str, path: Path) -> None:
        """Take a PNG file."""

    def alert(self, step: int, name: str, text: str) -> None:
        """Take what someone should be told of now."""

    def close(self, result: Mapping[str, Any]) -> None:
        """Take the result of the stage, and end; what was told is on disk or sent."""


class Late(Mirror):
    """Several mirrors, opened at the first word. A stage that said none is told of from its folder as it ends."""

    def __init__(self, folder: Path, openers: Sequence[Callable[[], Mirror]]) -> None:
        self.folder, self.openers = folder, openers
        self.opened: list[Mirror] | None = None

    def _each(self) -> list[Mirror]:
        if self.opened is None:
            self.opened = [opener() for opener in self.openers]
        return self.opened

    def log(self, row: Mapping[str, Any]) -> None:
        """Tell each."""
        for mirror in self._each():
            mirror.log(row)

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Tell each."""
        for mirror in self._each():
            mirror.table(step, name, rows)

    def picture(self, step: int, name: str, path: Path) -> None:
        """Tell each."""
        for mirror in self._each():
            mirror.picture(step, name, path)

    def alert(self, step: int, name: str, text: str) -> None:
        """Tell each."""
        for mirror in self._each():
            mirror.alert(step, name, text)

    def close(self, result: Mapping[str, Any]) -> None:
        """Close each."""
        if self.opened is None:
            replay(self.folder, self)
        for mirror in self._each():
            mirror.close(result)
