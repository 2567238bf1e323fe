"""Step 4: tests of the base that a right patch must keep passing, chosen without a look at the hidden tests.

Agentless reads the names of the test patch's files to choose; `paper_compat` does the same and is flagged wherever its
results go.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from openswerl.edits import FormatError, parse
from openswerl.evaluate.execution.actions import Suite
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.sampling import Question, ask
from openswerl.evaluate.mini.testfiles import rank_tests
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.views import TaskView
from openswerl.models.step_prompts import exclusion_prompt, named
from openswerl.rollout import Completion, seed_of

PASSED = ("PASSED",)
MAINTAINED = ("PASSED", "XFAIL", "SKIPPED")  # as the official grading of PASS_TO_PASS has it


class Regression(msgspec.Struct, frozen=True):
    """The test files of one instance, and the names of the kept tests.

    `unstable`: how many passed in some runs alone; `excluded`: how many the model took out; `fault`: why there is no
    answer that can be read, if a model was to exclude some. `reason`: why none is kept (no_test_files, none_passes, or
    the state of a run on the base that did not come to its end).
    """

    instance_id: str
    files: list[str]
    tests: list[str]
    unstable: int = 0
    excluded: int = 0
    reason: str | None = None
    fault: str | None = None


class Selector(NamedTuple):
    """What the step needs. `modules`: the localised files by instance.

    `names`: by instance, the test patch's files; only paper_compat gives some. `policy` is None where no model is to
    exclude tests.
    """

    bases: Bases
    backend: Cached
    modules: Mapping[str, Sequence[str]]
    max_files: int
    runs: int
    seed: int
    form: str
    policy: Policy | None = None
    names: Mapping[str, Sequence[str]] | None = None

    def rows(self, tasks: Sequence[TaskView]) -> Iterator[Regression]:
        """Choose files, run them on the base, and let the model exclude tests; yield one row an instance."""
        found = [self._passing(task) for task in tasks]
        return self._excluded(tasks, found) if self.policy else iter(found)

    def _files(self, task: TaskView) -> list[str]:
        tree = self.bases.tree(task)
        if self.names is not None:
            return [path for path in self.names[task.instance_id] if path in tree.blobs]
        return rank_tests(task.problem_statement, self.modules[task.instance_id], tree)[: self.max_files]

    def _passing(self, task: TaskView) -> Regression:
        files = self._files(task)
        while files:
            runs = [self.backend.run(task, "", Suite(tuple(files)), attempt) for attempt in range(self.runs)]
            bad = next((run.state for run in runs if run.state != "exited"), None)
            if bad is None:
                return _stable(task, files, runs)
            if len(files) == 1:
                return Regression(task.instance_id, files, [], reason=bad)
            files = files[: len(files) // 2]  # the likeliest ones may be quick enough by themselves
        return Regression(task.instance_id, [], [], reason="no_test_files")

    def _excluded(self, tasks: Sequence[TaskView], found: Sequence[Regression]) -> Iterator[Regression]:
        """Ask which tests a right fix may break, in one greedy answer; a question that does not fit is not asked."""
        assert self.policy is not None
        asked: dict[str, Question] = {}
        for task, row in zip(tasks, found, strict=True):
            prompt = exclusion_prompt(task.problem_statement, row.tests, self.form)
            if row.tests and self.policy.fits(prompt):
                asked[task.instance_id] = Question(prompt, seed_of(self.seed, "exclude", task.instance_id), [0])
        answers = dict(zip(asked, ask(list(asked.values()), self.policy.sampler, 0.0), strict=True))
        for row in found:
            if row.instance_id in answers:
                yield without(row, answers[row.instance_id][0])
            else:
                yield msgspec.structs.replace(row, fault="prompt_too_long") if row.tests else row


def without(row: Regression, completion: Completion) -> Regression:
    """Take the tests out that an answer names; an answer that cannot be read names none, and tells why."""
    if completion.fault or not completion.finished:
        return msgspec.structs.replace(row, fault=completion.fault or "unfinished")
    try:
        excluded = set(named(parse(completion.text).solution))
    except FormatError as error:
        return msgspec.structs.replace(row, fault=error.reason)
    left = [test for test in row.tests if test not in excluded]
    return msgspec.structs.replace(row, tests=left, excluded=len(row.tests) - len(left))


def tests_with(statuses: Collection[str], task: TaskView, execution: Execution) -> set[str]:
    """Return the tests that came to one of these statuses, by the parser of SWE-bench that the row names."""
    from swebench.harness.log_parsers import PARSER_REGISTRY  # takes seconds, with all of swebench

    found = PARSER_REGISTRY[task.log_parser](execution.output, None)
    return {test for test, status in found.items() if status in statuses}


def failures(task: TaskView, patch: str, kept: Regression, backend: Cached) -> int | None:
    """Return how many kept tests do not pass with a patch; None where the run did not come to its end."""
    if not kept.tests:
        return 0
    execution = backend.run(task, patch, Suite(tuple(kept.files)))
    if execution.state != "exited":
        return None
    return len(set(kept.tests) - tests_with(MAINTAINED, task, execution))


def _stable(task: TaskView, files: Sequence[str], runs: Sequence[Execution]) -> Regression:
    passed = [tests_with(PASSED, task, run) for run in runs]
    always, ever = set.intersection(*passed), set.union(*passed)
    reason = None if always else "none_passes"
    return Regression(task.instance_id, list(files), sorted(always), len(ever - always), 0, reason)
