"""The local backend against the bare test command, on a tree of the size of SymPy's: python bench/evaluate_local.py.

The suite computes for about five seconds. Both run in turns; a figure is the least of the wall-clock seconds, as
whatever else the machine does only adds. Last line JSON: `local_overhead` is the ratio of `local_s` and `bare_s`,
`entry_s` a run of the backend that does nothing, `build_s` an environment without packages.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openswerl.evaluate.backends.environments import Environments
from openswerl.evaluate.backends.local import LocalBackend
from openswerl.evaluate.execution.actions import Grading, Script
from openswerl.evaluate.harness.evalscript import eval_script
from openswerl.evaluate.harness.official import official_script
from openswerl.evaluate.harness.specs import Spec
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import Problem, problem_of

FILES, FILE_BYTES = 2000, 20_000
SECONDS, ROUNDS = 5.0, 6
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
SPEC = Spec("python tests/run.py", "parse_log_sympy", PYTHON)
WORK = "def work(n):\n    total = 0\n    for k in range(n):\n        total += k * k % 7\n    return total\n"
RUN = "import sys\nfor path in sys.argv[1:]:\n    exec(open(path).read())\nprint('test_work ok')\n"
TEST_PATCH = """diff --git a/tests/check.py b/tests/check.py
--- a/tests/check.py
+++ b/tests/check.py
@@ -1 +1 @@
-work(1)
+work({count})
"""


def timed(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def count_for(seconds: float) -> int:
    """Return the argument of `work` that takes about so long here, by the fastest of several tries."""
    names: dict[str, Any] = {}
    exec(WORK, names)
    tries = 2_000_000
    return int(seconds / min(timed(lambda: names["work"](tries)) for _ in range(5)) * tries)


def write_repository(folder: Path, clone: Path) -> str:
    line = "x = 'a line of the size of a line of code, as in most files of a library'\n"
    files = {f"library/part{k % 50}/module{k}.py": line * (FILE_BYTES // len(line)) for k in range(FILES)}
    files |= {"tests/run.py": WORK + RUN, "tests/check.py": "work(1)\n"}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git = ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@example.org"]
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["commit", "-q", "-m", "base"],
        ["clone", "-q", "--bare", ".", str(clone)],
    ):
        subprocess.run([*git, *words], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def problem(commit: str) -> Problem:
    row = {
        "instance_id": "bench__library-1", "repo": "bench/library", "base_commit": commit, "version": "1.0",
        "problem_statement": "", "split": "bench", "patch": "", "image": "", "eval_type": "pass_and_fail",
        "test_patch": TEST_PATCH.format(count=count_for(SECONDS)), "log_parser": "parse_log_sympy",
        "FAIL_TO_PASS": [], "PASS_TO_PASS": ["test_work"],
    }  # fmt: skip
    return problem_of({**row, "eval_script": eval_script(row, SPEC)})


def graded(backend: LocalBackend, one: Problem) -> None:
    execution = backend.run(one.task, "", Grading(one.gold))
    if (execution.state, execution.code) != ("exited", 0):
        raise SystemExit(f"the suite did not pass, so the figure would mean nothing: {execution}")


def measure(folder: Path) -> dict[str, float]:
    one = problem(write_repository(folder / "work", folder / "clones" / "bench__library.git"))
    places = (f"{sys.base_prefix}/bin/python{{version}}",)
    environments = Environments(folder / "environments", folder / "clones", print, places, lambda *_: SPEC)
    backend = LocalBackend(environments, Limits(timeout_s=300))
    build_s = timed(lambda: backend.run(one.task, "", Script("")))
    built, tree = environments.get(one.task), folder / "tree"
    tree.mkdir()
    subprocess.run(["tar", "-xf", str(built.tree), "-C", str(tree)], check=True)
    subprocess.run(["git", "apply", "-"], cwd=tree, input=one.gold.test_patch, text=True, check=True)
    bare = [str(built.venv / "bin/python"), "tests/run.py", "tests/check.py"]
    official_script(one.gold.row)  # imports the harness, once a process
    times: dict[str, list[float]] = {"bare_s": [], "local_s": [], "entry_s": []}
    for _ in range(ROUNDS):
        times["bare_s"].append(timed(lambda: subprocess.run(bare, cwd=tree, check=True, capture_output=True)))
        times["local_s"].append(timed(lambda: graded(backend, one)))
        times["entry_s"].append(timed(lambda: backend.run(one.task, "", Script(""))))
        print({name: round(values[-1], 2) for name, values in times.items()}, flush=True)
    found = {name: round(min(values), 2) for name, values in times.items()}
    return {"local_overhead": round(found["local_s"] / found["bare_s"], 2), **found, "build_s": round(build_s, 2)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="openswerl-bench-") as name:
        print(json.dumps(measure(Path(name))))
