"""Which instances a part is about, and what `evaluate` finds of all parts."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import msgspec

from openswerl.errors import UserError
from openswerl.evaluate.agentless import EVIDENCE, Agentless
from openswerl.evaluate.grading import Answers
from openswerl.evaluate.mini.journal import write_rows
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.views import Problem
from openswerl.files import replacing

ANSWERS = "answers.jsonl"
Item = TypeVar("Item")


class Row(msgspec.Struct, frozen=True):
    """One instance's candidates; `shown` are the files that its localisation prompt could name."""

    instance_id: str
    candidates: list[Candidate]
    shown: list[str]


def share(items: Sequence[Item], part: str) -> list[Item]:
    """Return every n-th item from the i-th on, for the part `<i>-of-<n>`. Raises UserError for another text."""
    number, _, count = part.partition("-of-")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise UserError(f"part={part} is no part; it is <i>-of-<n>, such as 1-of-8")
    return list(items[int(number) - 1 :: int(count)])


def write_answers(path: Path, answers: Answers, mini: Agentless | None) -> None:
    """Write what `Parts` reads."""
    shown = mini.shown if mini else {}
    with replacing(path) as temporary:
        names = [problem.task.instance_id for problem, _ in answers]
        groups = [list(group) for _, group in answers]
        rows = (Row(name, group, list(shown.get(name, ()))) for name, group in zip(names, groups, strict=True))
        write_rows(temporary, rows)


class Parts:
    """The folders of all parts of one evaluation, in order. Raises UserError where they are not those of `problems`."""

    def __init__(self, folders: Sequence[Path], problems: Sequence[Problem]) -> None:
        self.folders, self.problems = folders, problems
        self.places = {problem.task.instance_id: i % len(folders) for i, problem in enumerate(problems)}
        rows = zip(problems, self._lines(ANSWERS, [*self.places]), strict=True)
        found = [(problem, msgspec.convert(json.loads(line), Row)) for problem, line in rows]
        self.answers: Answers = [(problem, row.candidates) for problem, row in found]
        self.shown = {row.instance_id: row.shown for _, row in found}

    def evidence(self, names: Sequence[str], out: Path) -> Path:
        """Write the evidence of these instances, which the parts have in the same order, to `out`; returns it."""
        with replacing(out) as temporary, temporary.open("wb") as file:
            file.writelines(self._lines(EVIDENCE, names))
        return out

    def counts(self) -> dict[str, int]:
        """Return how many executions the parts ran, and how many were at hand there."""
        results = [json.loads((folder / "result.json").read_text()) for folder in self.folders]
        return {key: sum(result[key] for result in results) for key in ("executed", "cached")}

    def _lines(self, name: str, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the line of each of these instances, of one file of its part each."""
        needed = sorted({self.places[one] for one in names})
        with ExitStack() as stack:
            files = {place: stack.enter_context((self.folders[place] / name).open("rb")) for place in needed}
            for one in names:
                line = files[self.places[one]].readline()
                if not line.endswith(b"\n") or json.loads(line)["instance_id"] != one:
                    raise UserError(f"{self.folders[self.places[one]] / name} lacks {one}; delete its folder")
                yield line
