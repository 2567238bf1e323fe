"""Where the time of a step goes, and how much memory it takes. Kept apart from the metrics, which repeat exactly."""

import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class Clock:
    """Seconds by phase since the last `lap`; device work is waited for, so that each phase bears its own."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a block as part of a phase."""
        start = _now()
        try:
            yield
        finally:
            self.seconds[name] += _now() - start

    def lap(self) -> dict[str, float]:
        """Return the seconds by phase and begin anew."""
        seconds, self.seconds = dict(self.seconds), defaultdict(float)
        return seconds


def _now() -> float:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def memory_mb() -> dict[str, float]:
    """Return the peaks so far: of this process's memory, and of the device's if there is one."""
    peak = {"memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    if torch.cuda.is_available():
        peak["device_memory_mb"] = torch.cuda.max_memory_allocated() / 2**20
    return peak
