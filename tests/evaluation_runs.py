"""A benchmark of three instances in two tiny repositories, by real git, and a policy that answers from a table."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openswerl.config import Cell
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.run import evaluate
from openswerl.evaluate.views import Problem, load
from openswerl.rollout import Completion
from openswerl.stage import Job

CORE = "def add(a, b):\n    return a - b\n\n\ndef name():\n    return 'calc'\n"
USER = "from calc.core import add\n\n\ndef total(values):\n    result = 0\n    for value in values:\n        result = add(result, value)\n    return result\n"  # noqa: E501
CORE_TEST = "from calc.core import name\n\n\ndef test_name():\n    assert name() == 'calc'\n"
CORE_TEST_NEW = "from calc.core import add, name\n\n\ndef test_name():\n    assert name() == 'calc'\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"  # noqa: E501
WORDS = "def shout(text):\n    return text.lower()\n"
WORDS_TEST_NEW = "from words.case import shout\n\n\ndef test_shout():\n    assert shout('a') == 'A'\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


@dataclass
class World:
    """The laptop stage's folder, and how to make its parts."""

    laptop: Path
    work: Path
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, name: str, old: dict[str, str], new: dict[str, str], tests: dict[str, str], **row: Any) -> None:
        """Commit `old` to a repository and add a row whose gold patch leads to `new`, and its test patch to `tests`."""
        folder = self.work / name.replace("/", "__")
        if not folder.exists():
            folder.mkdir(parents=True)
            git(folder, "init", "-q", "-b", "main")
        base = self._commit(folder, old)
        patch = self._diff(folder, new)
        test_patch = self._diff(folder, tests)
        bare = self.laptop / "repos" / f"{folder.name}.git"
        shutil.rmtree(bare, ignore_errors=True)
        git(self.work, "clone", "-q", "--bare", str(folder), str(bare))
        command = f"python -m pytest -rA {' '.join(tests)}"
        script = f"#!/bin/bash\nset -uxo pipefail\n: '>>>>> Start Test Output'\n{command}\n: '>>>>> End Test Output'\n"
        self.rows.append(
            {
                "repo": name, "base_commit": base, "version": "1.0", "hints_text": "", "created_at": "", "image": "",
                "patch": patch, "test_patch": test_patch, "eval_script": script, "log_parser": "parse_log_pytest",
                "eval_type": "pass_and_fail", "PASS_TO_PASS": "[]", **row,
            }
        )  # fmt: skip
        self.write()

    def write(self) -> None:
        path = self.laptop / "benchmark" / "rows.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows))

    def problems(self) -> list[Problem]:
        return load(self.laptop / "benchmark" / "rows.jsonl", {"gate": 2, "templates": 1})

    def sources(self) -> Sources:
        return Sources(self.laptop / "repos")

    def _commit(self, folder: Path, files: dict[str, str]) -> str:
        self._write_files(folder, files)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x", "--allow-empty")
        return git(folder, "rev-parse", "HEAD").strip()

    def _diff(self, folder: Path, files: dict[str, str]) -> str:
        self._write_files(folder, files)
        git(folder, "add", "-A")
        text = git(folder, "diff", "--cached")
        git(folder, "reset", "-q", "--hard")
        return text

    def _write_files(self, folder: Path, files: dict[str, str]) -> None:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)


def build_world(folder: Path, canary: str = "") -> World:
    """Return three instances; `canary` is a text to hide in the gold and the test patches."""
    world = World(folder / "laptop", folder / "work")
    calc = {"calc/__init__.py": "", "calc/core.py": CORE, "calc/user.py": USER, "tests/test_core.py": CORE_TEST}
    fixed = {"calc/core.py": CORE.replace("a - b", f"a + b{canary}")}
    core_test = {"tests/test_core.py": CORE_TEST_NEW + canary}
    adds = json.dumps(["tests/test_core.py::test_add"])
    names = json.dumps(["tests/test_core.py::test_name"])
    world.add(
        "acme/calc", calc, fixed, core_test, instance_id="acme__calc-1", split="gate",
        problem_statement="add(2, 2) gives 0", FAIL_TO_PASS=adds, PASS_TO_PASS=names,
    )  # fmt: skip
    words = {"words/__init__.py": "", "words/case.py": WORDS}
    case_test = {"tests/test_case.py": WORDS_TEST_NEW + canary}
    upper = {"words/case.py": WORDS.replace("lower()", f"upper(){canary}")}
    shouts = json.dumps(["tests/test_case.py::test_shout"])
    world.add(
        "acme/words", words, upper, case_test, instance_id="acme__words-2", split="gate",
        problem_statement="shout is quiet", FAIL_TO_PASS=shouts,
    )  # fmt: skip
    world.add(
        "acme/calc", {"README": "more\n"}, fixed, core_test, instance_id="acme__calc-3",
        split="templates", problem_statement="sum of 1 and 1 is 0", FAIL_TO_PASS=adds, PASS_TO_PASS=names,
    )  # fmt: skip
    return world


class TableSampler:
    """Answers by the part of the prompt that a key names; a missing answer is an unfinished one."""

    def __init__(self, greedy: dict[str, str], sampled: dict[str, list[str]]) -> None:
        self.greedy, self.sampled = greedy, sampled
        self.prompts: list[str] = []
        self.seeds: list[list[int]] = []
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def generate(
        self, prompts: Sequence[Any], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> list[list[Completion]]:
        self.prompts += prompts
        self.seeds.append(list(seeds))
        return [[self._answer(prompt, number, temperature) for number in range(samples)] for prompt in prompts]

    def _answer(self, prompt: str, number: int, temperature: float) -> Completion:
        if temperature:
            key = next((key for key in self.sampled if key in prompt), None)
            texts = [] if key is None else self.sampled[key]
        else:
            key = next((key for key in self.greedy if key in prompt), None)
            texts = [] if key is None else [self.greedy[key]]
        return Completion(texts[number], [], True) if number < len(texts) else Completion("<think>", [], False)


@dataclass
class Stage:
    """Runs the evaluate stage in a run folder."""

    root: Path
    world: World

    def settings(self, policy: str, *overrides: str) -> tuple[str, ...]:
        """Return the overrides of a small evaluation."""
        settings = ["evaluate.samples=3", "tracking.wandb=disabled"]
        if "evaluate=verified" not in overrides:
            settings += ["evaluate.splits={gate: 2, templates: 1}", "evaluate.mini.splits={gate: 0}"]
        return (*settings, f"policy={policy}", *overrides)

    def job(self, policy: str, *overrides: str) -> Job:
        """Return the job of a policy under seed 0, the gate's outputs as inputs."""
        cfg = Cell("evaluate", self.settings(policy, *overrides)).view()
        inputs = {"laptop": self.world.laptop}
        inputs |= {f"evaluate-{name}-seed0": self.root / "evaluate" / name / "seed0" for name in ("gold", "none")}
        out = self.root / "evaluate" / policy / "seed0"
        out.mkdir(parents=True, exist_ok=True)
        return Job(cfg, out, inputs, "0123456789ab")

    def part(self, policy: str, part: str, *overrides: str) -> Job:
        """Return the job of a part of a policy's answers."""
        whole = self.job(policy, *overrides)
        cfg = Cell("answer", (*self.settings(policy, *overrides), f"part={part}")).view()
        out = self.root / "answer" / policy / "seed0" / part
        out.mkdir(parents=True, exist_ok=True)
        return Job(cfg, out, whole.inputs, "0123456789ab")

    def gate(self) -> None:
        for name in ("gold", "none"):
            self.run(name)

    def run(self, policy: str, sampler: Any = None, *overrides: str) -> dict[str, Any]:
        return evaluate(self.job(policy, *overrides), lambda: Policy(sampler, lambda prompt: True))

    def outcomes(self, policy: str) -> list[dict[str, Any]]:
        text = (self.root / "evaluate" / policy / "seed0" / "outcomes.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]
