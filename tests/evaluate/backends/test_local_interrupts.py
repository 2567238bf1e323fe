"""Runs and builds of the local backend that are ended from outside, and a user without rights."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.evaluate.backends.locks import locked
from openswerl.evaluate.execution.actions import Script
from tiny_repository import PYTHON, Tiny

SLEEP = f"86398.{os.getpid()}"  # seconds that nobody else sleeps
CHILD = f"""
import sys
from pathlib import Path
from openswerl.evaluate.execution.actions import Script
from tiny_repository import Tiny
tiny = Tiny(Path(sys.argv[1]))
backend = tiny.backend(**({{"pre_install": ("sleep {SLEEP}",)}} if sys.argv[2] == "build" else {{}}))
backend.run(tiny.problem.task, "", Script("import subprocess\\nsubprocess.run(['sleep', '{SLEEP}'])"))
"""


def _sleepers() -> int:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return found.count(f"sleep {SLEEP}")


def _until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("during", ["run", "build"])
def test_an_ended_process_takes_its_sandbox_along(tmp_path: Path, during: str, number: signal.Signals) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    process = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path / "t"), during], env=environment, stderr=-3)
    assert _until(lambda: _sleepers() > 0 or process.poll() is not None)
    process.send_signal(number)
    assert process.wait(30) != 0
    assert _until(lambda: _sleepers() == 0, 10)
    assert list(temporary.iterdir()) == []
    left = list((tmp_path / "t" / "environments").glob(".*.tmp"))
    assert len(left) == (1 if during == "build" and number == signal.SIGKILL else 0)


def test_what_a_killed_build_left_is_removed_unless_somebody_builds(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path)
    tiny.backend()
    for name in (".a.tmp", ".b.tmp"):
        (tmp_path / "environments" / name).mkdir()
    with locked(tmp_path / "environments", "b"):
        tiny.backend()
    assert [path.name for path in (tmp_path / "environments").glob(".*.tmp")] == [".b.tmp"]


@pytest.mark.skipif(os.getuid() != 0, reason="the other tests run without rights then")
def test_a_user_without_rights_can_build_and_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    if not Path(f"/usr/bin/python{PYTHON}").exists():
        pytest.skip(f"/usr/bin has no python{PYTHON}, and another one may be in a home that others cannot read")
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    try:
        tiny = Tiny(folder)
        subprocess.run(["chown", "-R", "65534:65534", str(folder)], check=True)
        child = os.fork()
        if not child:
            _as_nobody(tiny)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        made = next((folder / "environments").glob("*/testbed.tar"))
        assert made.stat().st_uid == 65534
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)


def _as_nobody(tiny: Tiny) -> None:
    code = 1
    try:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        backend = tiny.backend(places=(f"/usr/bin/python{PYTHON}",))
        found = backend.run(
            tiny.problem.task, tiny.problem.gold.patch, Script("from calc.core import add\nprint(add(2, 2))")
        )
        print(found)
        code = 0 if (found.state, found.code, found.output) == ("exited", 0, "4\n") else 2
    finally:
        os._exit(code)
