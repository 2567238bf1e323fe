"""The sample explorer: a few instances with what was asked, and every policy's greedy answer beside the gold patch.

This is after the fact: every answer was given and judged before any gold data is opened here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openswerl.evaluate.results.taxonomy import CAUSES
from openswerl.report.inputs import Evaluation, input_name
from openswerl.report.labels import parted
from openswerl.report.page.breakdown import Reward, rewards
from openswerl.report.page.chosen import choose
from openswerl.report.page.given import Clones, Given
from openswerl.report.page.kept import Settings, Tested, read_patches, read_problems, read_settings, read_tests
from openswerl.report.rows import Outcome

MARKS = {"resolved": "\u2713", "tested": "\u25cb", "malformed": "\u00d7", "unjudged": "?"}
"""The sign of each kind of outcome in the picker."""
NOT_KEPT = "The rows of the benchmark or the settings are not kept with this evaluation."


@dataclass(frozen=True)
class Asked:
    """What a policy was asked, and the reference fix; `note` says what is not at hand."""

    issue: str
    files: dict[str, str]
    gold: str
    note: str


@dataclass(frozen=True)
class Answer:
    """One policy's greedy answer to one instance."""

    policy: str
    row: Outcome
    asked: Asked
    patch: str
    rewards: list[Reward]
    tested: Tested

    @property
    def kind(self) -> str:
        """The key of MARKS."""
        if self.row.resolved:
            return "resolved"
        return "unjudged" if not self.row.judged else "tested" if self.row.format_ok else "malformed"

    @property
    def meaning(self) -> str:
        """What became of it, in words."""
        return CAUSES[self.row.cause]


@dataclass(frozen=True)
class Sample:
    """One instance and the answers of all policies to it."""

    instance_id: str
    answers: list[Answer]

    @property
    def asked(self) -> list[tuple[Asked, list[int]]]:
        """What was asked, and the numbers of the answers to it: variants of the data ask another question."""
        found: list[tuple[Asked, list[int]]] = []
        for number, answer in enumerate(self.answers):
            same = next((numbers for asked, numbers in found if _alike(asked, answer.asked)), None)
            if same is None:
                found.append((answer.asked, [number]))
            else:
                same.append(number)
        return found


def start(samples: Sequence[Sample]) -> int:
    """Return the number of the first sample's answer to begin with: one whose tests ran, if there is one."""
    answers = samples[0].answers if samples else []
    return next((number for number, answer in enumerate(answers) if answer.tested.counts), 0)


def _alike(one: Asked, other: Asked) -> bool:
    return (one.issue, one.files, one.note) == (other.issue, other.files, other.note)


def gather(
    folders: Mapping[str, Path], evaluations: Sequence[Evaluation], splits: Sequence[str], count: int
) -> list[Sample]:
    """Return `count` instances with the greedy answers of every policy under the first seed."""
    first = [item for item in evaluations if item.seed == evaluations[0].seed]
    names = choose(first, splits, count)
    answers = [_answers(folders, item, names) for item in first]
    return [Sample(name, [own[name] for own in answers]) for name in names]


def _answers(folders: Mapping[str, Path], item: Evaluation, names: Sequence[str]) -> dict[str, Answer]:
    folder = folders[input_name("evaluate", item.policy, item.seed)]
    settings = read_settings(folder)
    clones = Clones(_clones(folders, item.policy, settings), settings) if settings else None
    problems, patches = read_problems(folder, names), read_patches(folder)
    rows = {row.instance_id: row for row in item.outcomes if row.decoding == "greedy"}
    found = {}
    for name in names:
        problem, patch = problems.get(name), patches.get(name, "")
        given = clones.given(problem, patch) if problem and clones else Given({}, {}, {}, NOT_KEPT)
        issue, gold = (problem.task.problem_statement, problem.gold.patch) if problem else ("", "")
        asked = Asked(issue, given.files, gold, given.note)
        form = settings.prompt["answer"] if settings else ""
        earned = rewards(rows[name], given, settings.edits, form) if settings else []
        found[name] = Answer(item.policy, rows[name], asked, patch, earned, read_tests(folder, name))
    return found


def _clones(folders: Mapping[str, Path], policy: str, settings: Settings) -> Path | None:
    """Return where an evaluation's clones are: a laptop world's are an input of the report."""
    if settings.evaluate["benchmark"] != "laptop":
        return Path(settings.evaluate["clones"]) if settings.evaluate["clones"] else None
    variant = parted(policy)[1]
    world = folders.get(f"laptop@{variant}") or folders.get("laptop")
    return world / "repos" if world else None
