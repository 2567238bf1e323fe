"""Agentless Mini within the stage: its steps see tasks alone; what compares with gold data comes after them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.grading import Grader
from openswerl.evaluate.harness.evalscript import touched
from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.choices import submitted
from openswerl.evaluate.mini.evidence import Patch, read_evidence
from openswerl.evaluate.mini.localise import Localiser
from openswerl.evaluate.mini.rerank import Stages, choose
from openswerl.evaluate.mini.run import Mini, run_mini
from openswerl.evaluate.opening import Work
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Candidate, Policy
from openswerl.evaluate.results.breakdown import Facts, facts_of
from openswerl.evaluate.results.localisation import localised
from openswerl.evaluate.results.mini import slim, summarise_mini
from openswerl.evaluate.results.scaling import Drawn, Verdicts, draw, plan_for, wanted
from openswerl.evaluate.results.taxonomy import not_judged
from openswerl.evaluate.views import Problem, oracle_paths
from openswerl.stage import Job

Shown = Mapping[str, Sequence[str]]
EVIDENCE = "mini/evidence.jsonl"


class Agentless:
    """The instances that Agentless Mini worked on, and what its steps found (`evidence`, a file as long as they are).

    `shown`: by instance, the files that its localisation prompt could name.
    """

    def __init__(self, problems: Sequence[Problem], evidence: Path, shown: Shown, cfg: Any) -> None:
        self.problems, self.evidence, self.shown = problems, evidence, shown
        self.rows = [slim(row) for row in read_evidence(evidence)]
        stages = Stages(cfg.rerank.regression, cfg.rerank.reproduction)
        plan = plan_for(cfg.repair.samples, min(cfg.reproduction.samples, cfg.reproduction.max_tests), cfg.curves)
        self.drawn: list[Drawn] = draw(self.rows, plan, partial(choose, stages=stages)) if cfg.curves else []

    @property
    def answers(self) -> dict[str, list[Candidate]]:
        """By instance, what is submitted for each way to choose."""
        return {row.instance_id: submitted(row) for row in read_evidence(self.evidence)}

    @property
    def reasons(self) -> list[str | None]:
        """Why repair samples have no patch, None for those that have one."""
        return [reason for row in self.rows for reason in row.reasons]

    def localised(self, facts: Mapping[str, Facts]) -> dict[str, bool | None]:
        """Return, by instance, whether a localisation sample names every oracle file."""
        return {row.instance_id: localised(row, list(facts[row.instance_id].oracle)) for row in self.rows}

    def summary(self, facts: Mapping[str, Facts], grader: Grader, wrong: Collection[str]) -> dict[str, Any] | None:
        """Return what result.json says of it, without the `wrong` instances; None if there is no other.

        Grades the patches that the curves need.
        """
        rows = [row for row in self.rows if row.instance_id not in wrong]
        drawn = [one for one in self.drawn if one.instance_id not in wrong]
        return summarise_mini(rows, facts, drawn, self.verdicts(grader, wrong)) if rows else None

    def verdicts(self, grader: Grader, wrong: Collection[str] = ()) -> Verdicts:
        """Grade the patches that the curves need, without those of the `wrong` instances."""
        return dict(self._verdicts(grader, wanted(one for one in self.drawn if one.instance_id not in wrong)))

    def _verdicts(
        self, grader: Grader, needed: Collection[tuple[str, int]]
    ) -> Iterator[tuple[tuple[str, int], bool | None]]:
        groups = [
            (problem, [_candidate(number, patch) for number, patch in enumerate(row.patches)
                       if (row.instance_id, number) in needed])
            for problem, row in zip(self.problems, read_evidence(self.evidence), strict=True)
        ]  # fmt: skip
        grader.prepare(groups)
        for problem, group in groups:
            for candidate, verdict in grader.verdicts(problem, group, {}):
                judged = not not_judged(verdict.status, verdict.reason)
                name = problem.task.instance_id, candidate.sample
                yield name, verdict.status == "resolved" if judged else None


def _candidate(number: int, patch: Patch) -> Candidate:
    return Candidate("mini", number, "", patch.patch, patch.key, None, patch.refused)


def agentless(
    job: Job, work: Work, policy: Policy, backend: Cached, asking: Asking, say: Callable[[str], None]
) -> Agentless:
    """Take all steps on the instances of `work.mini`; writes mini/evidence.jsonl."""
    cfg, sources = job.cfg.evaluate.mini, work.sources
    tasks = [problem.task for problem in work.mini]
    names = hidden_names(work.mini) if cfg.regression.selection == "paper_compat" else None
    mini = Mini(
        tasks, sources, policy, backend, cfg, asking, job.cfg.seed, job.digest, job.scratch / "mini", say, names
    )
    path = run_mini(mini, job.out / EVIDENCE)
    with Bases(sources) as bases:
        localiser = Localiser(bases, policy, asking.form, job.cfg.seed, cfg.localisation.samples, 0.0)
        shown = {task.instance_id: sorted(localiser.shown(task)) for task in tasks}
    return Agentless(work.mini, path, shown, cfg)


def hidden_names(problems: Sequence[Problem]) -> dict[str, list[str]]:
    """Return the files of each test patch: gold data for selection=paper_compat, which flags its results."""
    return {problem.task.instance_id: touched(problem.gold.test_patch).tests for problem in problems}


def facts(problems: Sequence[Problem], sources: Sources, shown: Shown) -> dict[str, Facts]:
    """Return what results are broken down by, from gold data, by instance."""
    return {
        problem.task.instance_id: facts_of(
            problem, oracle_paths(sources.base(problem.task), problem.gold), shown.get(problem.task.instance_id, ())
        )
        for problem in problems
    }
