"""A repository with a bug, its clone, its recipe and its SWE-bench row, for backends that run real environments.

Its tests run by a script of its own, in the output format of SymPy, so that nothing has to be installed.
"""

import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from openswerl.edits.diffs import git_patch
from openswerl.evaluate.backends.environments import Environments
from openswerl.evaluate.backends.local import LocalBackend
from openswerl.evaluate.execution.actions import Grading
from openswerl.evaluate.harness.evalscript import eval_script
from openswerl.evaluate.harness.grade import Verdict, grade
from openswerl.evaluate.harness.specs import Spec
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import Problem, problem_of

RUN = """\
import importlib.util, pathlib, sys

sys.path.insert(0, str(pathlib.Path.cwd()))
failed = False
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("checks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in [name for name in vars(module) if name.startswith("test_")]:
        try:
            getattr(module, name)()
            print(name, "ok", flush=True)
        except Exception:
            failed = True
            print(name, "F", flush=True)
sys.exit(failed)
"""
CORE = "def name():\n    return 'calc'\n\n\nMARK = 1\n\n\ndef add(a, b):\n    return a - b\n"
FIXED = CORE.replace("a - b", "a + b")
CHECKS = "from calc.core import name\n\n\ndef test_name():\n    assert name() == 'calc'\n"
CHECKS_NEW = (
    CHECKS.replace("name\n", "add, name\n", 1) + "\n\ndef test_add():\n    assert add(2, 2) == 4  # hidden-canary\n"
)
FILES = {"calc/__init__.py": "", "calc/core.py": CORE, "tests/run.py": RUN, "tests/check_core.py": CHECKS}
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
HERE = (f"{sys.base_prefix}/bin/python{{version}}",)
SPEC = Spec("python tests/run.py", "parse_log_sympy", PYTHON)
LIMITS = Limits(timeout_s=30, memory_bytes=512 << 20, disk_bytes=64 << 20, output_bytes=1 << 20)


def patch(path: str, new: str, old: str | None = None) -> str:
    """Return the git patch that gives a file of the base, or a new one, another text."""
    return git_patch({path: FILES.get(path) if old is None else old}, {path: new})


@dataclass
class Tiny:
    """`folder`/clones holds the clone; environments go to `folder`/environments."""

    folder: Path
    problem: Problem = field(init=False)

    def __post_init__(self) -> None:
        clone = self.folder / "clones" / "acme__calc.git"
        commit = _clone(self.folder / "work", clone)
        row: dict[str, Any] = {
            "instance_id": "acme__calc-1", "repo": "acme/calc", "base_commit": commit, "version": "1.0", "image": "",
            "problem_statement": "add subtracts", "split": "tiny", "patch": patch("calc/core.py", FIXED),
            "test_patch": patch("tests/check_core.py", CHECKS_NEW), "log_parser": "parse_log_sympy",
            "eval_type": "pass_and_fail", "FAIL_TO_PASS": '["test_add"]', "PASS_TO_PASS": '["test_name"]',
        }  # fmt: skip
        self.problem = problem_of({**row, "eval_script": eval_script(row, SPEC)})

    def backend(self, limits: Limits = LIMITS, folder: str = "environments", **recipe: Any) -> LocalBackend:
        """Return a local backend; `recipe` changes the recipe, `places` in it where interpreters are looked for."""
        places = recipe.pop("places", HERE)
        self.said: list[str] = []
        spec = replace(SPEC, **recipe)
        environments = Environments(
            self.folder / folder, self.folder / "clones", self.said.append, places, lambda *_: spec
        )
        return LocalBackend(environments, limits)

    def verdict(self, backend: Any, text: str) -> Verdict:
        """Run the hidden tests on a patch, and grade them."""
        execution = backend.run(self.problem.task, text, Grading(self.problem.gold))
        return grade(self.problem.gold, text, execution, self.folder / "test_output.txt")


def _clone(work: Path, clone: Path) -> str:
    for path, text in FILES.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    _git(work, "init", "-q", "-b", "main")
    commits = []
    for message in ("base", "a later fix, which nobody may see"):
        _git(work, "add", "-A")
        _git(work, "commit", "-q", "-m", message)
        _git(work, "tag", message.split()[-1])
        commits.append(_git(work, "rev-parse", "HEAD").strip())
        (work / "calc/core.py").write_text(FIXED)
    _git(work.parent, "clone", "-q", "--bare", str(work), str(clone))
    return commits[0]


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout
