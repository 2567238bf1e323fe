"""Run and grade the answers of a policy: each distinct patch of an instance once."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from openswerl.evaluate.execution.actions import Grading
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.harness.judge import judge
from openswerl.evaluate.harness.official import OfficialRun
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.results.outcomes import Row, outcome_row
from openswerl.evaluate.views import Problem

SAY_EVERY = 60
Answers = Sequence[tuple[Problem, Sequence[Candidate]]]


class Grader:
    """Verdicts on candidates. `bare`: the empty patch is run too, as the gate's `none` needs it."""

    def __init__(self, backend: Cached, say: Callable[[str], None], bare: bool = False) -> None:
        self.backend, self.say, self.bare = backend, say, bare

    def rows(
        self, answers: Answers, officials: Mapping[str, OfficialRun], localised: Mapping[str, bool | None]
    ) -> list[Row]:
        """Return one outcome row a candidate, in order; those of a decoding in `officials` leave their logs there.

        `localised` is by instance, for the candidates of Agentless Mini.
        """
        self.prepare(answers)
        rows = []
        for number, (problem, group) in enumerate(answers, start=1):
            for candidate, verdict in self.verdicts(problem, group, officials):
                found = localised.get(problem.task.instance_id) if candidate.decoding.startswith("mini") else None
                rows.append(outcome_row(problem, candidate, verdict, found))
            if number % SAY_EVERY == 0 or number == len(answers):
                self.say(f"graded {number}/{len(answers)} ({self.backend.ran} runs, {self.backend.found} at hand)")
        return rows

    def prepare(self, answers: Answers) -> None:
        """Run what these need at once, if the backend can."""
        self.backend.run_all([(problem, self._wanted(group)) for problem, group in answers])

    def verdicts(
        self, problem: Problem, group: Sequence[Candidate], officials: Mapping[str, OfficialRun]
    ) -> Iterable[tuple[Candidate, Verdict]]:
        """Yield each candidate of an instance with its verdict."""
        executions = {patch: self._run(problem, patch) for patch in self._wanted(group)}
        with tempfile.TemporaryDirectory(prefix="openswerl-grade-") as scratch:
            for candidate in group:
                official, name = officials.get(candidate.decoding), problem.gold.instance_id
                log = official.log(name) if official else Path(scratch, "test_output.txt")
                execution = None if candidate.refused else executions.get(candidate.patch)
                verdict = judge(problem.gold, candidate, execution, log)
                if official:
                    official.record(name, candidate.patch, execution, verdict)
                yield candidate, verdict

    def _wanted(self, group: Sequence[Candidate]) -> list[str]:
        """Return the distinct patches to run."""
        return list(dict.fromkeys(one.patch for one in group if (one.patch or self.bare) and not one.refused))

    def _run(self, problem: Problem, patch: str) -> Execution:
        return self.backend.run(problem.task, patch, Grading(problem.gold))
