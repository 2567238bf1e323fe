"""Runs inside the sandbox as `probe.py BOX PORT SECRET FOLDER...`; prints as JSON what it could do but must not."""

import functools
import json
import os
import socket
import sys
from collections.abc import Callable


def leaks(port: int, secret: str, folders: list[str]) -> list[str]:
    """Return the forbidden actions that worked: connecting to a port outside, reading a file, writing to folders."""
    actions: dict[str, Callable[[], object]] = {
        "use the network": lambda: socket.create_connection(("127.0.0.1", port), 1),
        f"read {secret}": lambda: os.open(secret, os.O_RDONLY),
    }
    actions |= {f"write to {folder}": functools.partial(write, folder) for folder in folders}
    return [name for name, action in actions.items() if works(action)]


def write(folder: str) -> None:
    """Create a file and remove it. Raises OSError if that is forbidden."""
    path = os.path.join(folder, ".openswerl-probe")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.unlink(path)


def works(action: Callable[[], object]) -> bool:
    """Tell whether the system lets an action through."""
    try:
        action()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    print(json.dumps(leaks(int(sys.argv[2]), sys.argv[3], sys.argv[4:])))
