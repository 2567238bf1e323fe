"""The benchmark, split at load: what a prompt may be made of, and what only execution and grading may open."""

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import PatchError, Tree, apply_patch
from openswerl.evaluate.harness.rows import read_benchmark
from openswerl.files import write_jsonl


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


def load(
    source: Path | str, splits: Mapping[str, int], quarantine: Path | None = None, names: Sequence[str] = ()
) -> list[Problem]:
    """Return the first `splits[name]` rows of every split, in file order; `source` as `read_benchmark` takes it.

    If there are `names`, exactly the instances that they name, whatever their split.

    Rows that cannot be graded are written to `quarantine`, one JSON line each, and told; they count for their number.
    Without that file they are not borne. Raises UserError for such a row, for a split with too few rows, and for a
    name that no row has.
    """
    rows = read_benchmark(source)
    if rows.bad and quarantine is None:
        raise UserError(f"{rows.bad[0].where}: {rows.bad[0].message}; correct or remove the row")
    if rows.bad and quarantine is not None:
        write_jsonl(quarantine, (bad._asdict() for bad in rows.bad))
        codes = ", ".join(f"{code} {count}" for code, count in Counter(bad.code for bad in rows.bad).most_common())
        print(f"evaluate: WARNING: {len(rows.bad)} rows cannot be graded ({codes}); see {quarantine}", flush=True)
    problems = [problem_of(row) for row in rows.good]
    if names:
        return _named(problems, names, source)
    return [found for name, count in splits.items() for found in _first(problems, name, count, source, len(rows.bad))]


def _named(problems: list[Problem], names: Sequence[str], source: Path | str) -> list[Problem]:
    known = {problem.task.instance_id: problem for problem in problems}
    if missing := [name for name in names if name not in known]:
        raise UserError(f"{source} has no row that can be graded of {missing[0]}, which evaluate.instances names")
    return [known[name] for name in names]


def problem_of(row: dict[str, Any]) -> Problem:
    """Split a row of the v5 form, with a split, into what may reach a prompt and what may not."""
    task = TaskView(**{key: row[key] for key in TaskView.__dataclass_fields__})
    return Problem(task, GoldView(row["instance_id"], row["patch"], row["test_patch"], row["eval_script"], row))


def _first(problems: list[Problem], split: str, count: int, source: Path | str, bad: int) -> list[Problem]:
    found = [problem for problem in problems if problem.task.split == split]
    if len(found) + bad < count or (count and not found):
        few = f"{source} has {len(found)} rows of split {split}"
        raise UserError(f"{few}, fewer than evaluate.splits asks for ({count})")
    return found[:count]


def oracle_paths(base: Tree, gold: GoldView) -> list[str]:
    """Return the files of the base that the gold patch changes: all that Table 2 gives away, names and no more.

    A file that the gold patch creates is not shown, since it has no content yet. A patch that does not apply names
    none; it is the gate that says so.
    """
    try:
        fixed = apply_patch(base, gold.patch)
    except PatchError:
        return []
    return sorted(path for path, entry in base.items() if fixed.get(path) != entry)
