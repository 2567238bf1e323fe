"""Step 1: which files to edit, from the issue and the repository's tree (Agentless Mini; file level alone)."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec

from openswerl.edits import FormatError, parse
from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.sampling import Chunk, Question, ask
from openswerl.evaluate.mini.tree import Look, draw_look, print_tree
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.views import TaskView
from openswerl.models.prompts import Prompt
from openswerl.models.step_prompts import localise_prompt, named
from openswerl.relate.languages import OF_SUFFIX, extension, is_test
from openswerl.rollout import Completion, seed_of


class Localised(msgspec.Struct, frozen=True):
    """One sample: the files that it names, most likely first, and why there are none.

    Reasons: those of the tags, unfinished, the codes of faults, prompt_too_long, no_paths (it names no file of the
    tree). `unknown`: how many of its lines name no file of the tree. `left_out`: how many files its tree does not show.
    """

    instance_id: str
    sample: int
    files: list[str]
    reason: str | None = None
    unknown: int = 0
    left_out: int = 0


class Shown(NamedTuple):
    """A prompt that fits, the paths that it shows, how many it leaves out, and how many files may be named."""

    prompt: Prompt
    paths: Collection[str]
    left_out: int
    most: int


class Localiser(NamedTuple):
    """What the step needs. One sample is greedy and sees the tree in order; several have a look of their own each."""

    bases: Bases
    policy: Policy
    form: str
    seed: int
    samples: int
    temperature: float

    def rows(self, pack: Sequence[Chunk]) -> Iterator[Localised]:
        """Ask for the samples of some chunks, and yield their rows in order."""
        places = [(chunk.task, sample) for chunk in pack for sample in chunk.samples]
        shown = [self._show(task, sample) for task, sample in places]
        questions = [
            Question(found.prompt, seed_of(self.seed, "localise", task.instance_id, sample), [sample])
            for (task, sample), found in zip(places, shown, strict=True)
            if found
        ]
        answers = iter(ask(questions, self.policy.sampler, self.temperature if self.samples > 1 else 0.0))
        for (task, sample), found in zip(places, shown, strict=True):
            if found is None:
                yield Localised(task.instance_id, sample, [], "prompt_too_long")
            else:
                yield read_paths(task.instance_id, sample, next(answers)[sample], found)

    def shown(self, task: TaskView) -> Collection[str]:
        """Return the files that the first prompt of an instance shows; none if none fits."""
        found = self._show(task, 0)
        return found.paths if found else ()

    def _show(self, task: TaskView, sample: int) -> Shown | None:
        """Return the first prompt that fits: all files, sources alone, sources that are no tests; None if none does."""
        paths = list(self.bases.tree(task).blobs)
        look = draw_look(seed_of(self.seed, "look", task.instance_id, sample)) if self.samples > 1 else Look()
        for kept in narrowed(paths):
            tree = print_tree(kept, look, self.form)
            prompt = localise_prompt(task.problem_statement, tree, look.most, self.form)
            if self.policy.fits(prompt):
                return Shown(prompt, frozenset(kept), len(paths) - len(kept), look.most)
        return None


def narrowed(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield fewer and fewer paths: all, those of a programming language, and of these the ones that are no tests."""
    yield paths
    sources = [path for path in paths if extension(path) in OF_SUFFIX]
    yield sources
    yield [path for path in sources if not is_test(path)]


def read_paths(instance_id: str, sample: int, completion: Completion, shown: Shown) -> Localised:
    """Read an answer: one path a line, each the exact path of a shown file; the first `shown.most` count."""

    def none(reason: str, unknown: int = 0) -> Localised:
        return Localised(instance_id, sample, [], reason, unknown, shown.left_out)

    if not completion.finished:
        return none(completion.fault or "unfinished")
    try:
        lines = named(parse(completion.text).solution)
    except FormatError as error:
        return none(error.reason)
    paths = list(dict.fromkeys(lines))
    files = [path for path in paths if path in shown.paths]
    unknown = len(paths) - len(files)
    if not files:
        return none("no_paths", unknown)
    return Localised(instance_id, sample, files[: shown.most], None, unknown, shown.left_out)
