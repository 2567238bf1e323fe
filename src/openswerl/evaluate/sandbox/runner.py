"""Runs inside the sandbox: one source tree after another, each under pytest, or a program, in a forked child.

Standard library and pytest only; this file is copied in alone. It reads one JSON job a line from standard input
({"tree": {path: [mode, bytes as latin-1]}, "arguments": [...], "timeout_s": s, "own_interpreter": bool}; "program",
its bytes as latin-1, in place of pytest's arguments) and answers each with one JSON line ({"state", "code", "output",
"clean"}) on standard output. Children never see either pipe: what they print goes through a pipe of their own, so a
child cannot write another one's result. Pytest is imported once, and a child is a fork, which saves most of the cost
of a fresh interpreter.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import runpy
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from io import FileIO
from pathlib import Path

import pytest
from _pytest.config import default_plugins

OUTPUT_BYTES = 1 << 20
PROCESSES = 64
TICK_S = 0.05
LIMITS = {
    resource.RLIMIT_AS: 4 << 30,
    resource.RLIMIT_FSIZE: 64 << 20,
    resource.RLIMIT_NOFILE: 256,
    resource.RLIMIT_NPROC: 4096,
    resource.RLIMIT_CORE: 0,
}
RUN_PROGRAM = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
prctl = ctypes.CDLL(None).prctl


def main(box: Path, shared: list[Path]) -> None:
    """Answer jobs until standard input ends. `box` and `shared` are all that a child can write to."""
    jobs, answers = os.fdopen(_private(0)), os.fdopen(_private(1), "w")
    prctl(PR_SET_DUMPABLE, 0)  # keeps a child from reaching our memory and pipes through /proc
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # a daemon that a child leaves behind becomes ours to end
    for name in default_plugins:
        importlib.import_module(f"_pytest.{name}")
    gc.freeze()  # collections in a child then leave the shared memory pages alone
    kept = {folder: set(folder.iterdir()) for folder in [box, *shared]}
    print('{"ready": true}', file=answers, flush=True)
    for line in jobs:
        answer = run(json.loads(line), box)
        answer["clean"] = end_descendants() and all(empty(*item) for item in kept.items())
        print(json.dumps(answer), file=answers, flush=True)


def _private(descriptor: int) -> int:
    """Move a standard stream out of the children's reach and put the null device in its place."""
    moved = os.dup(descriptor)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)
    return moved


def run(job: dict, box: Path) -> dict:
    """Run one job in a child and return how it ended and what it printed."""
    for name in ("testbed", "home", "tmp"):
        (box / name).mkdir()
    write_tree(job["tree"], box / "testbed")
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        be_child(job, box / "testbed", into)
    os.close(into)
    with os.fdopen(out, "rb", buffering=0) as pipe:
        os.set_blocking(out, False)
        state, output = watch(pid, pipe, time.monotonic() + job["timeout_s"])
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"state": state, "code": code, "output": output.decode(errors="replace")}


def write_tree(tree: dict, folder: Path) -> None:
    """Write the files, links last, so that nothing is written through a link."""
    for path, (mode, text) in sorted(tree.items(), key=lambda item: item[1][0] == "120000"):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == "120000":
            target.symlink_to(text.encode("latin-1").decode())
        else:
            target.write_bytes(text.encode("latin-1"))
            target.chmod(0o755 if mode == "100755" else 0o644)


def be_child(job: dict, testbed: Path, into: int) -> None:
    """Become the candidate's process; never returns."""
    code = 1
    try:
        os.setsid()
        os.dup2(into, 1)
        os.dup2(into, 2)
        os.closerange(3, 256)
        limit(job["timeout_s"])
        prctl(PR_SET_DUMPABLE, 1)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.chdir(testbed)
        code = run_program(job, testbed) if "program" in job else run_pytest(job, testbed)
        threading._shutdown()  # type: ignore[attr-defined]  # what an interpreter does at its end
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code & 0xFF)


def run_pytest(job: dict, testbed: Path) -> int:
    """Run pytest in the root of the tree and return its exit code."""
    if job["own_interpreter"]:
        os.execv(sys.executable, [sys.executable, "-s", "-m", "pytest", *job["arguments"]])
    sys.path.insert(0, str(testbed))
    sys.argv = ["pytest", *job["arguments"]]
    return int(pytest.main(job["arguments"]))


def run_program(job: dict, testbed: Path) -> int:
    """Run a program, which lies outside the tree, in the root of the tree; returns what the interpreter would."""
    path = testbed.with_name("program.py")
    path.write_bytes(job["program"].encode("latin-1"))
    if job["own_interpreter"]:
        os.execv(sys.executable, [sys.executable, "-s", "-c", RUN_PROGRAM, str(path)])
    sys.path.insert(0, str(testbed))
    sys.argv = [str(path)]
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as error:
        if not isinstance(error.code, str):
            return int(error.code or 0)
        print(error.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    else:
        return 0
    return 1


def limit(timeout_s: int) -> None:
    """Limit this process and its children; root without a sandbox is not held by the number of processes."""
    for kind, value in {**LIMITS, resource.RLIMIT_CPU: timeout_s + 1}.items():
        resource.setrlimit(kind, (value, value))


def watch(pid: int, pipe: FileIO, deadline: float) -> tuple[str, bytes]:
    """Read what the child prints until it ends or breaks a limit; returns the state and the output."""
    ended = os.pidfd_open(pid)
    watched: list[int | FileIO] = [ended, pipe]
    output, count_at = b"", 0.0
    try:
        while (now := time.monotonic()) < deadline:
            ready, _, _ = select.select(watched, [], [], TICK_S)
            if ended in ready:
                return "exited", output + rest(pipe)
            if pipe in ready and not (chunk := pipe.read(1 << 16)):
                watched.remove(pipe)
            elif pipe in ready:
                output += chunk
            if len(output) > OUTPUT_BYTES:
                return "output_limit", output
            if now > count_at:
                count_at = now + TICK_S
                if len(descendants()) > PROCESSES:
                    return "process_limit", output
        return "timeout", output
    finally:
        os.close(ended)


def rest(pipe: FileIO) -> bytes:
    """Return what is still in the pipe, without waiting for processes that the child left behind."""
    output = b""
    while len(output) <= OUTPUT_BYTES and (chunk := pipe.read(1 << 16)):
        output += chunk
    return output


def descendants() -> list[int]:
    """Return the ids of all processes below this one, from /proc."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
    found: list[int] = []
    level = [os.getpid()]
    while level:
        level = [pid for pid, parent in parents.items() if parent in level]
        found += level
    return found


def end_descendants() -> bool:
    """Kill and reap every process below this one; tells whether none is left."""
    for _ in range(200):
        found = descendants()
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not found:
            return True
        time.sleep(0.005)
    return False


def empty(folder: Path, kept: set[Path]) -> bool:
    """Delete everything in a folder but `kept`; tells whether nothing else is left."""
    for item in set(folder.iterdir()) - kept:
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(item, ignore_errors=True)
        else:
            item.unlink()
    return set(folder.iterdir()) == kept


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
