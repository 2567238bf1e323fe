"""Tell how far long work has come: a short line on stderr now and then."""

import sys
import time

EVERY_S = 10.0


class Progress:
    """Counts steps; `total` is how many there will be. Prints at most every ten seconds."""

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.last = time.monotonic()

    def step(self, count: int = 1, note: str = "") -> None:
        """Count steps that are done; `note` is added to the line."""
        self.done += count
        if time.monotonic() - self.last >= EVERY_S:
            self.last = time.monotonic()
            print(f"{self.label}: {self.done} of {self.total}{note and f', {note}'}", file=sys.stderr, flush=True)
