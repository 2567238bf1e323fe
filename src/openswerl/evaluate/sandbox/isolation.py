"""Where model-written code runs: in bubblewrap, or in a plain process on machines without it.

In bubblewrap a program sees /usr, this Python environment and the loader's files, all read-only, and empty folders in
memory. It has no network, no other process in sight, no capability and none of our environment variables. Limits on
time, memory, files and processes are set by runner.py on every candidate.
"""

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from openswerl.errors import UserError, last_line

MEMORY_BYTES = 512 << 20
ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}
WAY_OUT = "run model-written code without isolation by evaluate.sandbox=process"
PROBE = Path(__file__).with_name("probe.py")
PROBE_S = 60


def require(kind: str) -> None:
    """Check that the sandbox `kind` works here, or say loudly that there is none. Raises UserError."""
    if kind == "process":
        print(
            "evaluate: WARNING: sandbox=process: model-written code runs here as you, with network and files",
            flush=True,
        )
    elif kind != "bubblewrap":
        raise UserError(f"evaluate.sandbox={kind} is unknown: choose bubblewrap or process")
    elif shutil.which("bwrap") is None:
        raise UserError(f"bubblewrap (bwrap) is not on PATH: install bubblewrap, or {WAY_OUT}")
    elif found := probe(kind):
        raise UserError(f"the bubblewrap sandbox leaks: a program in it can {' and '.join(found)}; {WAY_OUT}")


def probe(kind: str) -> list[str]:
    """Start the sandbox and return what a program in it can do but must not. Raises UserError if it does not start."""
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="openswerl-probe-"))
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        errors = stack.enter_context(tempfile.TemporaryFile())
        secret = Path(name, "secret")
        secret.touch()
        arguments = [str(server.getsockname()[1]), str(secret), name, sys.prefix, "/", "/usr"]
        process = start(kind, PROBE, Path(name), arguments, errors)
        try:
            answer, _ = process.communicate(timeout=PROBE_S)
        except subprocess.TimeoutExpired:
            stop(process)
            raise UserError(f"{kind} does not answer here within {PROBE_S} s; repair it, or {WAY_OUT}") from None
        if process.returncode:
            raise UserError(f"{kind} does not start here ({last_error(errors)}); allow user namespaces, or {WAY_OUT}")
        found: list[str] = json.loads(answer)
        return found


def start(
    kind: str, script: Path, folder: Path, arguments: Sequence[str], errors: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Start `script BOX arguments...` under this Python, in its own session; BOX is a folder that it may write to.

    Bubblewrap makes BOX in memory; a plain process gets `folder`.
    """
    wrap, script_inside, box = [], str(script), str(folder)
    if kind == "bubblewrap":
        wrap, script_inside, box = _bubblewrap(script), "/openswerl.py", "/box"
    return subprocess.Popen(
        [*wrap, sys.executable, "-s", "-P", script_inside, box, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**ENVIRONMENT, "HOME": f"{box}/home", "TMPDIR": f"{box}/tmp"},
        cwd=folder,
        start_new_session=True,
    )


def shared_folders(kind: str) -> list[str]:
    """Return the folders besides BOX that a sandboxed program can write to and that belong to the sandbox alone."""
    return ["/tmp", "/dev/shm"] if kind == "bubblewrap" else []


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kill the session of a started program; bubblewrap takes everything in it along."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def last_error(errors: IO[bytes]) -> str:
    """Return the last line that a program wrote to its error stream."""
    errors.seek(0)
    return last_line(errors.read().decode(errors="replace"))


def _bubblewrap(script: Path) -> list[str]:
    words = [*walls(), *memory_mount("/tmp"), *memory_mount("/box")]
    for prefix in _python_prefixes():
        words += ["--ro-bind", prefix, prefix]
    words += ["--ro-bind", str(script), "/openswerl.py", "--proc", "/proc", "--dev", "/dev", *memory_mount("/dev/shm")]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/box"]


def walls() -> list[str]:
    """Return the words that every call of bubblewrap begins with: nothing is shared, and the system is read-only."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    return [*words, "--ro-bind", "/usr", "/usr", *_beside_usr()]


def _beside_usr() -> Iterator[str]:
    """Yield the mounts of what lies beside /usr: links into it on most systems, folders on older ones."""
    for name in ("/bin", "/sbin", "/lib", "/lib64"):
        if os.path.islink(name):
            yield from ("--symlink", os.readlink(name), name)
        else:
            yield from ("--ro-bind-try", name, name)
    for name in ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"):
        yield from ("--ro-bind-try", name, name)


def memory_mount(folder: str, size: int = MEMORY_BYTES) -> list[str]:
    """Return bubblewrap's mount of a folder in memory, of at most `size` bytes where bubblewrap can limit it."""
    return [*(["--size", str(size)] if _has_size() else []), "--tmpfs", folder]


@functools.cache
def _has_size() -> bool:
    """Whether this bubblewrap can limit folders in memory (0.5 and later)."""
    return "--size" in subprocess.run(["bwrap", "--help"], capture_output=True, text=True).stdout


def _python_prefixes() -> list[str]:
    """Return where this Python lives: virtual environment, base installation, and the target of its link."""
    found = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    return sorted(prefix for prefix in found if not Path(prefix).is_relative_to("/usr"))
