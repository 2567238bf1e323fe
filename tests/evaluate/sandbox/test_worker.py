"""Hostile and broken candidates against the real runner in the real sandbox."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from openswerl.evaluate.sandbox.worker import Worker

Ask = Callable[..., dict[str, Any]]
GOOD = "def test_good():\n    assert True\n"


@pytest.fixture(scope="module", params=["bubblewrap", "process"])
def worker(request: Any) -> Iterator[Worker]:
    with Worker(request.param) as worker:
        yield worker


@pytest.fixture
def ask(worker: Worker) -> Ask:
    """Run one test file, and other files beside it."""
    return lambda text, files=(), **settings: worker.run(_job(text, dict(files), **settings))


@pytest.fixture
def isolated(worker: Worker) -> Worker:
    if worker.kind != "bubblewrap":
        pytest.skip("a plain process is not isolated")
    return worker


def _job(text: str, files: dict[str, str] | None = None, timeout_s: int = 10, own: bool = False) -> dict[str, Any]:
    tree = {path: ["100644", content] for path, content in {"test_it.py": text, **(files or {})}.items()}
    arguments = ["-rA", "-p", "no:cacheprovider", "test_it.py"]
    return {"tree": tree, "arguments": arguments, "timeout_s": timeout_s, "own_interpreter": own}


def _ok(answer: dict[str, Any]) -> bool:
    return answer["state"] == "exited" and answer["code"] == 0 and "PASSED test_it.py::test_good" in answer["output"]


def test_passing_and_failing_tests_are_told_apart(ask: Ask) -> None:
    answer = ask("def test_a():\n    assert 1 == 1\n\ndef test_b():\n    assert 1 == 2\n")
    assert (answer["state"], answer["code"], answer["clean"]) == ("exited", 1, True)
    assert "PASSED test_it.py::test_a" in answer["output"] and "FAILED test_it.py::test_b" in answer["output"]


SCRIPTS = {
    "parametrised": """
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_n(n, capsys, tmp_path, one):
    print(n)
    assert n == one
""",
    "missing module": "import missing_module\n",
    "syntax error": "def test_a(:\n",
    "surroundings": """
import os, sys

def test_path():
    print(sys.path, sys.argv[1:], os.getcwd(), sorted(os.environ))
    assert sys.flags.dont_write_bytecode
""",
    "late output": """
import atexit, threading, time
atexit.register(print, "bye")

def test_a():
    threading.Thread(target=lambda: (time.sleep(0.2), print("late"))).start()
""",
    "kinds": """
import pytest, unittest, warnings

class TestA(unittest.TestCase):
    def test_b(self):
        warnings.warn("w")
        self.skipTest("x")

@pytest.mark.xfail
def test_c():
    assert 0
""",
    "errors": """
import pytest

@pytest.fixture
def broken():
    raise ValueError

def test_a(broken):
    pass

def test_b():
    pytest.exit("stop")
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_fork_gives_the_result_of_a_fresh_interpreter(ask: Ask, name: str) -> None:
    files = {"conftest.py": "import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n", "pytest.ini": "[pytest]\n"}
    forked, fresh = (ask(SCRIPTS[name], files, own=own) for own in (False, True))
    assert [_steady(forked["output"]), forked["code"]] == [_steady(fresh["output"]), fresh["code"]]


def _steady(output: str) -> str:
    return re.sub(r"(in |0x)[0-9a-f.]+s?", r"\1N", output)


def test_a_hanging_candidate_times_out(ask: Ask) -> None:
    assert ask("while True:\n    pass\n", timeout_s=1)["state"] == "timeout"
    assert ask("import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)\n", timeout_s=1)["state"] == "timeout"
    assert _ok(ask(GOOD))


@pytest.mark.parametrize("crash", ["import os; os._exit(0)", "import ctypes; ctypes.string_at(0)"])
def test_a_crash_is_a_result_without_passed_tests(ask: Ask, crash: str) -> None:
    answer = ask(f"def test_good():\n    {crash}\n")
    assert answer["state"] == "exited" and "PASSED" not in answer["output"]
    assert _ok(ask(GOOD))


def test_too_much_memory_fails_the_test_alone(ask: Ask) -> None:
    answer = ask("def test_a():\n    bytearray(8 << 30)\n\ndef test_good():\n    pass\n")
    assert (
        answer["code"] == 1 and "MemoryError" in answer["output"] and "PASSED test_it.py::test_good" in answer["output"]
    )


def test_a_flood_of_output_is_cut(ask: Ask) -> None:
    answer = ask("import os\nwhile True:\n    os.write(2, b'x' * 65536)\n")
    assert answer["state"] == "output_limit" and len(answer["output"]) < 3 << 20
    assert _ok(ask(GOOD))


def test_a_fork_bomb_is_stopped(ask: Ask) -> None:
    bomb = "import os, time\nfor _ in range(400):\n    if not os.fork():\n        time.sleep(60)\ntime.sleep(60)\n"
    assert ask(bomb)["state"] == "process_limit"
    assert _ok(ask(GOOD))


DAEMON = """
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        time.sleep(60)
    os._exit(0)
"""
COUNT = """
import os

def test_good():
    stats = [open(f"/proc/{name}/stat").read() for name in os.listdir("/proc") if name.isdigit()]
    assert [text.split(")")[1].split()[1] for text in stats].count(str(os.getppid())) == 1
"""


def test_a_daemon_is_ended_before_the_next_candidate(ask: Ask) -> None:
    assert _ok(ask(DAEMON + GOOD))
    assert _ok(ask(COUNT))


def test_files_do_not_survive_their_candidate(ask: Ask, worker: Worker) -> None:
    folders = "[os.getcwd(), os.environ['HOME'], os.environ['TMPDIR']]"
    if worker.kind == "bubblewrap":
        folders += " + ['/tmp', '/dev/shm', '/box']"
    head = f"import os\n\ndef test_good():\n    for f in {folders}:\n"
    started = worker.started
    assert _ok(ask(head + "        open(f + '/left', 'w').write('x')\n        os.mkdir(f + '/d')\n"))
    assert _ok(ask(head + "        assert not os.path.exists(f + '/left') and not os.path.exists(f + '/d')\n"))
    assert worker.started == started


def test_the_outside_is_out_of_reach(isolated: Worker, ask: Ask, tmp_path: Any, monkeypatch: Any) -> None:
    """Every action raises OSError inside; the same file outside shows that the test would see a leak."""
    monkeypatch.setenv("OPENSWERL_SECRET", "x")
    (tmp_path / "secret").write_text("s")
    actions = [
        f"open({str(tmp_path / 'secret')!r})", f"open({str(tmp_path / 'new')!r}, 'w')", "open('/usr/new', 'w')",
        "open('/new', 'w')", "open('/dev/new', 'w')", "open(__import__('pytest').__file__, 'a')",
        "socket.create_connection(('127.0.0.1', 22), 1)", "socket.create_connection(('192.0.2.1', 80), 1)",
        "os.chroot('/')", "os.setuid(1)", "socket.sethostname('x')",
    ]  # fmt: skip
    lines = [f"    with pytest.raises(OSError):\n        {action}\n" for action in actions]
    text = "import os, pytest, socket\n\ndef test_good():\n    assert 'OPENSWERL_SECRET' not in os.environ\n" + "".join(
        lines
    )
    answer = ask(text)
    assert _ok(answer), answer["output"]
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_a_candidate_cannot_reach_the_answers_of_the_runner(isolated: Worker, ask: Ask) -> None:
    text = """
import os, pytest

def test_good():
    assert len(os.listdir("/proc/self/fd")) < 16
    for number in range(64):
        with pytest.raises(OSError):
            open(f"/proc/{os.getppid()}/fd/{number}", "w")
    with pytest.raises(OSError):
        open(f"/proc/{os.getppid()}/mem", "rb+").read(1)
"""
    answer = ask(text)
    assert _ok(answer), answer["output"]


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_killing_the_runner_harms_no_one_else(ask: Ask, worker: Worker, signal: str) -> None:
    started = worker.started
    answer = ask(f"import os, signal\nos.kill(os.getppid(), signal.{signal})\nimport time\ntime.sleep(1)\n" + GOOD)
    assert answer["state"] == "runner_lost"
    assert _ok(ask(GOOD))
    assert worker.started >= started + 2


@pytest.mark.slow
def test_stopping_the_runner_is_noticed(ask: Ask, monkeypatch: Any) -> None:
    monkeypatch.setattr("openswerl.evaluate.sandbox.worker.GRACE_S", 1)
    answer = ask("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\n" + GOOD, timeout_s=1)
    assert answer["state"] == "runner_lost"
    assert _ok(ask(GOOD))


def test_links_and_modes_arrive(worker: Worker) -> None:
    job = _job("import os\n\ndef test_good():\n    assert open('link').read() == 'x' and os.access('tool', os.X_OK)\n")
    job["tree"] |= {"link": ["120000", "d/file"], "d/file": ["100644", "x"], "tool": ["100755", "#!/bin/sh\n"]}
    assert _ok(worker.run(job))
