"""Who is told what a run measures: nobody, or several that are opened at the first word."""

import sys
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
    """Mirrors by name, opened at the first word. A stage that said none is told of from its folder as it ends.

    A mirror that fails, in whatever way, is told nothing more, with a warning: it cannot undo a result.
    """

    def __init__(self, title: str, folder: Path, openers: Mapping[str, Callable[[], Mirror]]) -> None:
        self.title, self.folder, self.openers = title, folder, openers
        self.opened: dict[str, Mirror] = {}

    def log(self, row: Mapping[str, Any]) -> None:
        """Tell each."""
        self._tell(lambda mirror: mirror.log(row))

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Tell each."""
        self._tell(lambda mirror: mirror.table(step, name, rows))

    def picture(self, step: int, name: str, path: Path) -> None:
        """Tell each."""
        self._tell(lambda mirror: mirror.picture(step, name, path))

    def alert(self, step: int, name: str, text: str) -> None:
        """Tell each."""
        self._tell(lambda mirror: mirror.alert(step, name, text))

    def close(self, result: Mapping[str, Any]) -> None:
        """Close each."""
        if not self.opened:
            replay(self.folder, self)
        self._tell(lambda mirror: mirror.close(result))

    def _tell(self, say: Callable[[Mirror], None]) -> None:
        for name, opener in self.openers.items():
            try:
                if name not in self.opened:
                    self.opened[name] = opener()
                say(self.opened[name])
            except Exception as error:  # a mirror of whatever kind must not cost the run that it shows
                self.opened[name] = Mirror()
                told = f"{type(error).__name__}: {' '.join(str(error).split())}"
                print(f"warning: {name} has not all of {self.title}: {told}", file=sys.stderr, flush=True)
