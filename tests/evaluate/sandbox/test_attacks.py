"""What a hostile program or patch tries, on the backends that run it; test_worker.py has more on the laptop's."""

import dataclasses
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.backends.local import LocalBackend
from openswerl.evaluate.execution.actions import Script, Suite
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.sources import Sources
from tiny_repository import LIMITS, Tiny, patch

SLEEP = f"86399.{os.getpid()}"  # seconds that nobody else sleeps, not even the tests of another process


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("attacks"))


@pytest.fixture(scope="module")
def local(tiny: Tiny) -> LocalBackend:
    return tiny.backend()


@pytest.fixture(scope="module", params=["laptop", "local"])
def backend(request: Any, tiny: Tiny) -> Iterator[Any]:
    """Both backends, for the attacks that test_worker.py does not make."""
    made = (
        tiny.backend() if request.param == "local" else LaptopBackend(Sources(tiny.folder / "clones"), "bubblewrap", 20)
    )
    yield made
    made.close()


def _run(tiny: Tiny, backend: Any, source: str, change: str = "") -> Execution:
    found: Execution = backend.run(tiny.problem.task, change, Script(source))
    return found


def _well(tiny: Tiny, backend: Any) -> bool:
    """Whether the next program runs as if nothing had been."""
    return _run(tiny, backend, "print(1)") == Execution("exited", 0, "1\n")


def _contained(tiny: Tiny, backend: Any, source: str) -> None:
    found = _run(tiny, backend, source)
    assert (found.state, found.code) == ("exited", 0), found.output


def test_the_network_is_out_of_reach(tiny: Tiny, local: LocalBackend) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), 1).close()  # the control
        source = f"""
import socket
for place in (("127.0.0.1", {port}), ("192.0.2.1", 80), ("::1", {port})):
    try:
        socket.create_connection(place, 1)
    except OSError:
        continue
    raise SystemExit(place)
try:
    socket.getaddrinfo("example.org", 80)
except OSError:
    raise SystemExit(0)
raise SystemExit("a name was found")
"""
        found = _run(tiny, local, source)
        assert (found.state, found.code) == ("exited", 0), found.output


def test_home_files_and_environment_of_the_host_are_out_of_reach(
    tiny: Tiny, backend: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENSWERL_SECRET", "x")
    secret = tmp_path / "secret"
    secret.write_text("x")
    source = f"""
import glob, os, sys
assert "OPENSWERL_SECRET" not in os.environ
for name in glob.glob("/proc/*/environ"):
    try:
        assert b"OPENSWERL_SECRET" not in open(name, "rb").read(), name
    except PermissionError:
        pass
assert not os.path.exists({str(secret)!r})
ours = {sorted({sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)})!r}
for folder, folders, files in os.walk({str(Path.home())!r}):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ours]
    assert not files, (folder, files)
for name in ("/etc/shadow", "/root/.ssh", "/var", "/run", "/sys", "/boot", "/etc/hostname"):
    assert not os.path.exists(name), name
"""
    _contained(tiny, backend, source)


def test_nothing_outside_can_be_written(tiny: Tiny, local: LocalBackend) -> None:
    places = ["/new", "/usr/new", "/etc/new", "/venv/new", "/venv/bin/python", "/openswerl/testbed.tar", "/dev/new"]
    places += ["/openswerl/action", "/opt/miniconda3/bin/activate", f"{sys.base_prefix}/bin/new", "/proc/sys/kernel/x"]
    source = f"""
import os
for place in {places!r}:
    try:
        open(place, "ab")
    except OSError:
        continue
    raise SystemExit(place)
for action in (lambda: os.chroot("/"), lambda: os.setuid(12345), lambda: os.mknod("/tmp/x", 0o20666, 0x101)):
    try:
        action()
    except OSError:
        continue
    raise SystemExit("more rights than expected")
"""
    _contained(tiny, local, source)
    assert _well(tiny, local)


def test_a_fork_bomb_is_stopped(tiny: Tiny, local: LocalBackend) -> None:
    few = LocalBackend(local.environments, dataclasses.replace(LIMITS, processes=40))
    source = "import os, time\nfor _ in range(200):\n    if not os.fork():\n        time.sleep(60)\ntime.sleep(60)"
    assert _run(tiny, few, source).state == "process_limit"
    assert _well(tiny, few)


def test_memory_is_limited_for_one_process_and_for_all(tiny: Tiny, local: LocalBackend) -> None:
    one = "try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print('refused')"
    assert _run(tiny, local, one).output == "refused\n"
    small = LocalBackend(local.environments, dataclasses.replace(LIMITS, memory_bytes=256 << 20))
    many = """
import os, time
for _ in range(8):
    if not os.fork():
        kept = bytearray(b"x" * (64 << 20))
        time.sleep(60)
time.sleep(60)
"""
    started = time.monotonic()
    assert _run(tiny, small, many).state == "memory_limit"
    assert time.monotonic() - started < 20
    assert _well(tiny, small)


def test_a_disk_is_not_filled(tiny: Tiny, backend: Any) -> None:
    """Every folder that can be written to is small: 64 MiB here for the local backend, 512 MiB for the laptop's."""
    limit = 70 if backend.kind == "local" else 530
    source = f"""
import os
for folder in {["/testbed", "/tmp"] if backend.kind == "local" else ["/box", "/tmp"]}:
    written = 0
    try:
        for number in range({limit}):
            with open(f"{{folder}}/{{number}}", "wb") as file:
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
    for number in range({limit}):
        if os.path.exists(f"{{folder}}/{{number}}"):
            os.unlink(f"{{folder}}/{{number}}")
    assert written < {limit} << 20, folder
"""
    _contained(tiny, backend, source)
    assert _well(tiny, backend)


def test_a_file_is_limited_in_size(tiny: Tiny, local: LocalBackend) -> None:
    small = LocalBackend(local.environments, dataclasses.replace(LIMITS, file_bytes=1 << 20))
    source = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen('/tmp/a', 'wb').write(bytes(2 << 20))"
    assert "File too large" in _run(tiny, small, source).output


def _sleepers() -> int:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return found.count(f"sleep {SLEEP}")


def test_a_daemon_does_not_survive(tiny: Tiny, backend: Any) -> None:
    source = f"""
import subprocess, sys
code = "import os, subprocess; os.setsid(); os.fork() and os._exit(0); subprocess.Popen(['sleep', '{SLEEP}'])"
subprocess.run([sys.executable, "-c", code], stdin=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
"""
    control = subprocess.Popen(["sleep", SLEEP])
    assert _sleepers() == 1
    control.kill()
    control.wait()
    _contained(tiny, backend, source)
    assert _sleepers() == 0


@pytest.mark.parametrize("target", ["os.getppid()", "1", "-1", "0"])
def test_killing_what_is_above_or_beside_harms_no_one_else(tiny: Tiny, backend: Any, target: str) -> None:
    found = _run(tiny, backend, f"import os, time\nprint('a', flush=True)\nos.kill({target}, 9)\ntime.sleep(0.2)")
    assert found.state in ("exited", "runner_lost")
    assert _well(tiny, backend)


def test_endless_output_is_cut(tiny: Tiny, local: LocalBackend) -> None:
    found = _run(tiny, local, "import os\nwhile True:\n    os.write(2, b'x' * 65536)")
    assert found.state == "output_limit" and len(found.output) == LIMITS.output_bytes
    assert _well(tiny, local)


def test_the_way_in_cannot_be_told_another_ending(tiny: Tiny, local: LocalBackend) -> None:
    source = """
import glob
for name in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        with open(name, "w") as file:
            file.write("\\nrefused\\n")
    except OSError:
        pass
"""
    assert _run(tiny, local, source).state == "exited"


def test_hidden_tests_are_seen_by_grading_alone(tiny: Tiny, backend: Any) -> None:
    source = """
import os
for folder in ("/testbed", "/openswerl", "/box", "/tmp", "/opt", "/home"):
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                assert b"hidden-" + b"canary" not in file.read(), name
"""
    _contained(tiny, backend, source)
    if backend.kind == "local":
        assert "test_add" not in backend.run(tiny.problem.task, "", Suite(("tests/check_core.py",))).output


def test_a_run_leaves_no_file_on_this_machine(tiny: Tiny, local: LocalBackend) -> None:
    folder = tiny.folder / "environments"
    _run(tiny, local, "")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    _run(
        tiny,
        local,
        "open('/tmp/a', 'w').write('a')\nopen('b', 'w').write('b')\nimport calc",
        patch("new.py", "x = 1\n"),
    )
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert os.listdir(tiny.folder / "clones") == ["acme__calc.git"]
