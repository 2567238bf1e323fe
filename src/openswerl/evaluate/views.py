"""The benchmark, split at load: what a prompt may be made of, and what only execution and grading may open."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import Tree, apply_patch

TEXTS = ("instance_id", "repo", "base_commit", "version", "problem_statement", "split", "patch", "test_patch")
HARNESS = ("image", "eval_script", "log_parser", "eval_type")
TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")


@dataclass(frozen=True)
class TaskView:
    """The part of a row that may reach a prompt, and what names the repository's environment and its test output."""

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    split: str
    version: str = ""
    image: str = ""
    log_parser: str = ""


@dataclass(frozen=True)
class GoldView:
    """The part of a row that only execution and grading open. `row` is the whole SWE-bench row."""

    instance_id: str
    patch: str
    test_patch: str
    eval_script: str
    row: dict[str, Any]

    @property
    def digest(self) -> str:
        """A hash of the whole row."""
        return hashlib.sha256(json.dumps(self.row, sort_keys=True).encode()).hexdigest()

    @property
    def pytest_arguments(self) -> list[str]:
        """What the row's eval_script passes to pytest. Raises UserError if its test command is not one pytest call."""
        lines = self.eval_script.split("\n")
        marks = [number for number, line in enumerate(lines) if ">>>>> " in line]
        inside = lines[marks[0] + 1 : marks[-1]] if marks else lines
        commands = [line.strip() for line in inside if line.strip() and not line.startswith(("#", "set "))]
        words = shlex.split(commands[0]) if len(commands) == 1 else []
        if words[:3] != ["python", "-m", "pytest"]:
            raise UserError(
                f"{self.instance_id}: the tests of eval_script are not one `python -m pytest` command but {commands}, "
                "which this backend cannot run; remove the row"
            )
        return words[3:]


@dataclass(frozen=True)
class Problem:
    """One instance. Hand `task` to what builds prompts, `gold` to what executes and grades."""

    task: TaskView
    gold: GoldView


def load(path: Path, splits: Mapping[str, int]) -> list[Problem]:
    """Return the first `splits[name]` rows of every split, in file order.

    Raises UserError for a line that is not a SWE-bench v5 row with a split, a row with no tests, an id that occurs
    twice, and a split with too few rows.
    """
    if not path.exists():
        raise UserError(f"{path} is missing; make the benchmark again")
    lines = path.read_text(encoding="utf-8").splitlines()
    problems = [_parse(line, f"{path} line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    ids = [problem.task.instance_id for problem in problems]
    if len(set(ids)) < len(ids):
        raise UserError(f"{path}: {max(ids, key=ids.count)} occurs twice; make the benchmark again")
    return [problem for name, count in splits.items() for problem in _first(problems, name, count, path)]


def _first(problems: list[Problem], split: str, count: int, path: Path) -> list[Problem]:
    found = [problem for problem in problems if problem.task.split == split]
    if len(found) < count:
        raise UserError(f"{path} has {len(found)} rows of split {split}, fewer than evaluate.splits asks for ({count})")
    return found[:count]


def oracle_paths(base: Tree, gold: GoldView) -> list[str]:
    """Return the files of the base that the gold patch changes: all that Table 2 gives away, names and no more.

    A file that the gold patch creates is not shown, since it has no content yet.
    """
    fixed = apply_patch(base, gold.patch)
    return sorted(path for path, entry in base.items() if fixed.get(path) != entry)


def _parse(line: str, where: str) -> Problem:
    try:
        row: dict[str, Any] = json.loads(line)
        row_is_bad = [key for key in TEXTS + HARNESS if not isinstance(row[key], str)]
        tests = [test for key in TESTS for test in _tests(row[key])]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{where} is not a SWE-bench v5 row ({error!r}); make the benchmark again") from None
    if row_is_bad:
        raise UserError(f"{where}: {row_is_bad[0]} is not a text; make the benchmark again")
    if not tests:
        raise UserError(f"{where}: {row['instance_id']} has no tests, so any patch would resolve it; remove the row")
    task = TaskView(**{key: row[key] for key in TaskView.__dataclass_fields__})
    gold = GoldView(row["instance_id"], row["patch"], row["test_patch"], row["eval_script"], row)
    return Problem(task, gold)


def _tests(value: Any) -> list[str]:
    """SWE-bench writes test lists as JSON texts or as lists."""
    return list(json.loads(value) if isinstance(value, str) else value)
