"""The install of an environment: in the sandbox, with the places of a run writable, and with the network."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from openswerl.evaluate.backends import scripts
from openswerl.evaluate.backends.interpreters import Interpreter
from openswerl.evaluate.harness.specs import Spec
from openswerl.evaluate.sandbox import jail

LIMIT_S = 3600
TEMPORARY_BYTES = 4 << 30
SYSTEM = ("/etc/ca-certificates", "/etc/pip.conf", "/etc/pki", "/etc/ssl", "/etc/xdg/pip", "/opt")
PASSED = ("PIP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


def install(made: Path, cache: Path, found: Interpreter, spec: Spec, version: str) -> int:
    """Fill `made`/venv and `made`/out from `made`/testbed; returns the exit code of the script.

    `version` is the repository's: its tree has no tags that could tell. What is printed goes to out/build.log.
    """
    for folder in (made / "venv", made / "out", cache):
        folder.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if key.upper().startswith(PASSED)}
    environment |= {"PIP_CACHE_DIR": "/cache", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    environment |= {"SETUPTOOLS_SCM_PRETEND_VERSION": version} if version else {}
    command = ["bash", "-c", scripts.build(spec, str(found.path))]
    with (
        (made / "out" / "build.log").open("wb") as log,
        contextlib.suppress(subprocess.TimeoutExpired),
        jail.started(_view(made, cache, found), command, stdout=log.fileno(), environment=environment) as process,
    ):
        return process.wait(LIMIT_S)
    return 1


def _view(made: Path, cache: Path, found: Interpreter) -> jail.View:
    names = [Path(name) for name in (*SYSTEM, os.path.realpath("/etc/resolv.conf"))]
    return jail.View(
        read_only={str(path): path for path in names if path.exists()} | mounted(found),
        writable={"/testbed": made / "testbed", "/venv": made / "venv", "/out": made / "out", "/cache": cache},
        texts={"/etc/hosts": Path("/etc/hosts").read_bytes()},
        memory={"/tmp": TEMPORARY_BYTES},
        network=True,
    )


def mounted(found: Interpreter) -> dict[str, Path]:
    """Return the mount that an interpreter needs inside, under its own path: a virtual environment links to it."""
    return {} if found.is_system else {str(found.prefix): found.prefix}


@contextlib.contextmanager
def unwinding() -> Iterator[None]:
    """Let SIGTERM end this process as an error does, in the main thread, so that nothing half-made stays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
