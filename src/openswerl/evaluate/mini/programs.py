"""Step 3a: write reproduction tests, one program a sample (paper appendix B)."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from openswerl.edits import FormatError, parse
from openswerl.edits.patches import strip_fences
from openswerl.evaluate.mini.bases import Bases, read_file
from openswerl.evaluate.mini.sampling import Chunk, Question, ask
from openswerl.evaluate.mini.testfiles import rank_tests
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.views import TaskView
from openswerl.models.prompts import Prompt
from openswerl.models.step_prompts import reproduction_prompt
from openswerl.rollout import Completion, seed_of

EXAMPLES = 3  # our choice: so many test files are tried as the example, for one that fits


class Program(msgspec.Struct, frozen=True):
    """One sample: a Python program, or why there is none.

    Reasons: those of the tags, unfinished, the codes of faults, prompt_too_long, no_program, syntax_error.
    """

    instance_id: str
    sample: int
    source: str | None
    reason: str | None = None


class Writer(NamedTuple):
    """What the step needs; `modules` are the localised files, by instance."""

    bases: Bases
    policy: Policy
    form: str
    seed: int
    temperature: float
    modules: Mapping[str, Sequence[str]]

    def rows(self, pack: Sequence[Chunk]) -> Iterator[Program]:
        """Ask for the samples of some chunks, and yield their rows in order."""
        prompts = [self._prompt(chunk.task) for chunk in pack]
        questions = [
            Question(prompt, seed_of(self.seed, "reproduce", chunk.task.instance_id, chunk.number), chunk.samples)
            for chunk, prompt in zip(pack, prompts, strict=True)
            if prompt is not None
        ]
        answers = iter(ask(questions, self.policy.sampler, self.temperature))
        for chunk, prompt in zip(pack, prompts, strict=True):
            found = {} if prompt is None else next(answers)
            for sample in chunk.samples:
                name = chunk.task.instance_id
                too_long = Program(name, sample, None, "prompt_too_long")
                yield read_program(name, sample, found[sample]) if sample in found else too_long

    def _prompt(self, task: TaskView) -> Prompt | None:
        """Return the question with the best test file that fits as an example, without one if none does."""
        tree = self.bases.tree(task)
        ranked = rank_tests(task.problem_statement, self.modules[task.instance_id], tree)[:EXAMPLES]
        for example in [*filter(None, (read_file(tree, path) for path in ranked)), None]:
            prompt = reproduction_prompt(task.problem_statement, example, self.form)
            if self.policy.fits(prompt):
                return prompt
        return None


def read_program(instance_id: str, sample: int, completion: Completion) -> Program:
    """Read an answer: the program is what the fences of the solution hold; one that does not parse is none."""
    if not completion.finished:
        return Program(instance_id, sample, None, completion.fault or "unfinished")
    try:
        source = strip_fences(parse(completion.text).solution)
    except FormatError as error:
        return Program(instance_id, sample, None, error.reason)
    reason = "no_program" if not source.strip() else None if _parses(source) else "syntax_error"
    return Program(instance_id, sample, None if reason else source, reason)


def _parses(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
