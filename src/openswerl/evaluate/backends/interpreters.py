"""Find the CPython that an environment asks for among those that are installed."""

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

PLACES = (
    "python{version}",
    "~/.pyenv/versions/{version}.*/bin/python{version}",
    "~/.local/share/uv/python/cpython-{version}.*/bin/python{version}",
    "/opt/python/{version}*/bin/python{version}",
)
ASK = "import platform, sys; print(platform.python_version(), sys.base_prefix)"


class Interpreter(NamedTuple):
    """`path` is the base installation's, never a virtual environment's; `version` has three parts."""

    path: Path
    version: str
    prefix: Path

    @property
    def is_system(self) -> bool:
        """Whether it lies below /usr, which every sandbox sees."""
        return self.prefix.is_relative_to("/usr")


def find(version: str, places: Sequence[str] = PLACES) -> Interpreter | None:
    """Return the first interpreter of a version ("3.9") that starts, the newest of those that one place names.

    A place is a command to look for on PATH, or a pattern of paths; {version} stands for the version.
    """
    found = (ask(path, version) for place in places for path in _paths(place.format(version=version)))
    return next((interpreter for interpreter in found if interpreter is not None), None)


def ask(path: str, version: str) -> Interpreter | None:
    """Return what an interpreter tells about itself; None if it does not start or is of another version."""
    try:
        done = subprocess.run([path, "-I", "-c", ASK], capture_output=True, text=True, cwd="/")
    except OSError:  # no program, or one for another machine
        return None
    full, _, prefix = done.stdout.strip().partition(" ")
    base = Path(prefix, "bin", f"python{version}")
    if done.returncode or not full.startswith(f"{version}.") or not base.exists():
        return None
    return Interpreter(base, full, Path(prefix))


def _paths(place: str) -> Iterator[str]:
    if "/" in place:
        yield from sorted(filter(os.path.isfile, glob.glob(os.path.expanduser(place))), key=_numbers, reverse=True)
    elif path := shutil.which(place):
        yield path


def _numbers(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path)]
