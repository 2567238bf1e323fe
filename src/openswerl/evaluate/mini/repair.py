"""Step 2: repairs of the localised files, by the prompt, the reader and the edit rules of training."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from openswerl.evaluate.mini.bases import Bases, read_file
from openswerl.evaluate.mini.normalise import vote_key
from openswerl.evaluate.mini.sampling import Chunk, Question, ask
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy, read_answer
from openswerl.evaluate.views import TaskView
from openswerl.records import SourceFile, Task, make_task
from openswerl.relate import Tree
from openswerl.rollout import FAULTS, Completion, seed_of


class Repaired(msgspec.Struct, frozen=True):
    """One sample: its patch, which is empty for an answer that changes nothing, and why there is none.

    Reasons: those of the edit rules, unfinished, the codes of faults, prompt_too_long, not_localised (no localisation
    sample names a file), unreadable_files (none of the named ones is text), empty_patch. `skipped`: how many of the
    localised files its prompt does not show, since they do not fit or are no text.
    """

    instance_id: str
    sample: int
    patch: str = ""
    key: str | None = None
    reason: str | None = None
    refused: str | None = None
    skipped: int = 0


class Shown(NamedTuple):
    """The files that a prompt shows, and how many it skips; `task` is None where nothing can be asked."""

    task: Task | None
    skipped: int = 0
    reason: str | None = None


class Located(NamedTuple):
    """What localisation came to: different sets of files, in order of appearance, or why there is none."""

    sets: Sequence[Sequence[str]]
    reason: str


class Repairer(NamedTuple):
    """What the step needs; `located` is by instance."""

    bases: Bases
    policy: Policy
    asking: Asking
    seed: int
    temperature: float
    located: Mapping[str, Located]

    def rows(self, pack: Sequence[Chunk]) -> Iterator[Repaired]:
        """Ask for the samples of some chunks, and yield their rows in order."""
        shown = [self._show(chunk) for chunk in pack]
        asked = [list(self._questions(chunk, sets)) for chunk, sets in zip(pack, shown, strict=True)]
        answers = iter(ask(list(itertools.chain(*asked)), self.policy.sampler, self.temperature))
        for chunk, sets, questions in zip(pack, shown, asked, strict=True):
            found = {number: one for _ in questions for number, one in next(answers).items()}
            for sample in chunk.samples:
                yield self._row(chunk.task, sample, sets[sample % len(sets)], found.get(sample))

    def _show(self, chunk: Chunk) -> list[Shown]:
        """Return what the samples of a chunk see by turns: one prompt for each set of localised files."""
        located, tree = self.located[chunk.task.instance_id], self.bases.tree(chunk.task)
        shown = [self._fill(chunk.task, paths, tree) for paths in located.sets]
        usable = [one for one in shown if one.task] or shown
        return usable or [Shown(None, reason=located.reason)]

    def _fill(self, task: TaskView, paths: Sequence[str], tree: Tree) -> Shown:
        """Add whole files in order of rank as long as the prompt fits; one that does not fit is skipped."""
        files = [file for path in paths if (file := read_file(tree, path))]
        kept: list[SourceFile] = []
        for file in files:
            if self.policy.fits(self.asking.prompt(_task(task, [*kept, file]))):
                kept.append(file)
        if kept:
            return Shown(_task(task, kept), len(paths) - len(kept))
        return Shown(None, len(paths), "prompt_too_long" if files else "unreadable_files")

    def _questions(self, chunk: Chunk, sets: Sequence[Shown]) -> Iterator[Question]:
        for number, one in enumerate(sets):
            samples = [sample for sample in chunk.samples if sample % len(sets) == number]
            if one.task and samples:
                seed = seed_of(self.seed, "repair", chunk.task.instance_id, chunk.number, number)
                yield Question(self.asking.prompt(one.task), seed, samples)

    def _row(self, task: TaskView, sample: int, shown: Shown, completion: Completion | None) -> Repaired:
        if shown.task is None or completion is None:
            return Repaired(task.instance_id, sample, reason=shown.reason, skipped=shown.skipped)
        found = read_answer(shown.task, completion, self.asking, "mini", sample, key_of=vote_key, repo=task.repo)
        reason = found.reason or (None if found.patch else "empty_patch")
        key = found.key if found.patch else None
        return Repaired(task.instance_id, sample, found.patch, key, reason, found.refused, shown.skipped)


def locate(files: Sequence[Sequence[str]], reasons: Sequence[str | None]) -> Located:
    """Return the different sets of files over the samples of an instance; order within a set does not tell two apart.

    Without any, the reason is a sampler's fault if that is why there is no sample at all, else not_localised.
    """
    sets: dict[frozenset[str], Sequence[str]] = {}
    for paths in filter(None, files):
        sets.setdefault(frozenset(paths), paths)
    faulty = all(reason in FAULTS for reason in reasons)
    return Located(list(sets.values()), str(reasons[0]) if faulty and reasons else "not_localised")


def _task(task: TaskView, files: Sequence[SourceFile]) -> Task:
    return make_task(task.instance_id, task.problem_statement, files)
