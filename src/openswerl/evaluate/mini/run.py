"""Agentless Mini from issue to patch (paper 3.1, appendix B): every step writes its journal, the last one the evidence.

Only task views come in here, so no step can see gold data. The one exception is `names`, which selection=paper_compat
needs and whose results are flagged.
"""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.evidence import Evidence
from openswerl.evaluate.mini.journal import fill, read_rows, write_rows
from openswerl.evaluate.mini.localise import Localised, Localiser
from openswerl.evaluate.mini.merge import Found, evidence_of
from openswerl.evaluate.mini.programs import Program, Writer
from openswerl.evaluate.mini.regression import Regression, Selector
from openswerl.evaluate.mini.repair import Located, Repaired, Repairer, locate
from openswerl.evaluate.mini.reproduce import Reproduction, keep_tests
from openswerl.evaluate.mini.rerank import Stages
from openswerl.evaluate.mini.sampling import chunks, packed, size
from openswerl.evaluate.mini.verify import Verified, distinct_patches, verify
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.views import TaskView
from openswerl.files import replacing
from openswerl.progress import Progress

VERSION = 1
MODULES = 5  # our choice: so many localised files choose the tests
TASKS_AT_ONCE = 64
Row = TypeVar("Row", Localised, Repaired, Program, Verified)


class Mini(NamedTuple):
    """One run: the instances, what they are asked of and run on, and the settings `cfg` (conf/evaluate, `mini`).

    `folder` keeps the journals, which a killed run goes on from. `identity` names the policy and all else that decides
    answers and is not in `cfg`. `names`: by instance, the files of the test patch, for selection=paper_compat alone.
    """

    tasks: Sequence[TaskView]
    sources: Sources
    policy: Policy
    backend: Cached
    cfg: Any
    asking: Asking
    seed: int
    identity: str
    folder: Path
    say: Callable[[str], None]
    names: Mapping[str, Sequence[str]] | None = None

    @property
    def digest(self) -> str:
        """The identity of all rows: those of other settings are never taken up."""
        settings = OmegaConf.to_container(self.cfg)
        assert isinstance(settings, dict)
        settings.pop("rows")  # how many are asked for at once decides nothing
        tasks = [asdict(task) for task in self.tasks]
        asking = [self.asking.form, self.asking.answer, asdict(self.asking.rules)]
        parts = [VERSION, self.identity, settings, asking, self.seed, tasks, self.names]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def journal(self, step: str) -> Path:
        """Return where a step keeps its rows."""
        return self.folder / f"{step}.jsonl"

    def fill(self, step: str, parts: Iterable[Any], size: Callable[[Any], int], make: Any, total: int) -> None:
        """Bring a step's journal to its end."""
        fill(self.journal(step), self.digest, parts, size, make, Progress(f"evaluate: mini: {step}", total))

    def sample(self, step: str, samples: int, rows: Callable[[Any], Iterable[Any]]) -> None:
        """Bring the journal of a step to its end that asks the policy."""
        parts = packed(chunks(self.tasks, samples), self.cfg.rows)
        self.fill(step, parts, size, rows, samples * len(self.tasks))


def run_mini(mini: Mini, out: Path) -> Path:
    """Take all steps and write the evidence of every instance to `out`, which `read_evidence` reads; returns it.

    Memory does not grow with instances or samples: a step holds the rows that it makes at once. A run that was killed
    goes on where it stood. Raises UserError for settings that do not fit together.
    """
    _check(mini)
    with Bases(mini.sources) as bases:
        located, modules = _localise(mini, bases)
        cfg = mini.cfg
        repairer = Repairer(bases, mini.policy, mini.asking, mini.seed, cfg.repair.temperature, located)
        mini.sample("repair", cfg.repair.samples, repairer.rows)
        tests = _reproduction_tests(mini, bases, modules)
        kept = _regression_tests(mini, bases, modules)
    _verify(mini, tests, kept)
    with replacing(out) as temporary:
        write_rows(temporary, _evidence(mini, tests, kept))
    mini.say(f"mini: wrote the evidence of {len(mini.tasks)} instances ({mini.backend.ran} executions)")
    return out


def _check(mini: Mini) -> None:
    if (mini.cfg.regression.selection == "paper_compat") != (mini.names is not None):
        raise UserError("selection=paper_compat, and it alone, needs the file names of the test patches")


def _localise(mini: Mini, bases: Bases) -> tuple[dict[str, Located], dict[str, list[str]]]:
    """Return, by instance, the sets of files to repair, and the files that most samples name."""
    cfg = mini.cfg.localisation
    localiser = Localiser(bases, mini.policy, mini.asking.form, mini.seed, cfg.samples, cfg.temperature)
    mini.sample("localise", cfg.samples, localiser.rows)
    located, modules = {}, {}
    for task, rows in _by_task(mini, "localise", Localised):
        located[task.instance_id] = locate([row.files for row in rows], [row.reason for row in rows])
        votes = Counter(path for row in rows for path in row.files)
        modules[task.instance_id] = [path for path, _ in votes.most_common(MODULES)]
    mini.say(f"mini: localised {sum(bool(one.sets) for one in located.values())}/{len(located)} instances")
    return located, modules


def _reproduction_tests(mini: Mini, bases: Bases, modules: Mapping[str, list[str]]) -> dict[str, Reproduction]:
    cfg = mini.cfg.reproduction
    writer = Writer(bases, mini.policy, mini.asking.form, mini.seed, cfg.temperature, modules)
    mini.sample("programs", cfg.samples if mini.cfg.rerank.reproduction else 0, writer.rows)

    def make(part: tuple[TaskView, list[Program]]) -> list[Reproduction]:
        return [keep_tests(part[0], part[1], mini.backend, cfg.max_tests)]

    mini.fill("reproduction", _by_task(mini, "programs", Program), lambda part: 1, make, len(mini.tasks))
    found = {row.instance_id: row for row in read_rows(mini.journal("reproduction"), Reproduction)}
    mini.say(f"mini: {sum(bool(row.tests) for row in found.values())}/{len(found)} instances have reproduction tests")
    return found


def _regression_tests(mini: Mini, bases: Bases, modules: Mapping[str, list[str]]) -> dict[str, Regression]:
    if not mini.cfg.rerank.regression:
        return {task.instance_id: Regression(task.instance_id, [], []) for task in mini.tasks}
    cfg = mini.cfg.regression
    asked = mini.policy if cfg.exclude else None
    selector = Selector(
        bases, mini.backend, modules, cfg.max_files, cfg.runs, mini.seed, mini.asking.form, asked, mini.names
    )
    parts = [mini.tasks[start : start + TASKS_AT_ONCE] for start in range(0, len(mini.tasks), TASKS_AT_ONCE)]
    mini.fill("regression", parts, len, selector.rows, len(mini.tasks))
    found = {row.instance_id: row for row in read_rows(mini.journal("regression"), Regression)}
    mini.say(f"mini: {sum(bool(row.tests) for row in found.values())}/{len(found)} instances have regression tests")
    return found


def _verify(mini: Mini, tests: Mapping[str, Reproduction], kept: Mapping[str, Regression]) -> None:
    parts = ((task, distinct_patches(rows).patches) for task, rows in _by_task(mini, "repair", Repaired))

    def make(part: tuple[TaskView, list[Repaired]]) -> Iterator[Verified]:
        task, patches = part
        return verify(task, patches, tests[task.instance_id], kept[task.instance_id], mini.backend)

    total = mini.cfg.repair.samples * len(mini.tasks)
    mini.fill("verify", parts, lambda part: len(part[1]), make, total)


def _evidence(mini: Mini, tests: Mapping[str, Reproduction], kept: Mapping[str, Regression]) -> Iterator[Evidence]:
    kinds: list[tuple[str, Any]] = [
        ("localise", Localised), ("repair", Repaired), ("programs", Program), ("verify", Verified),
    ]  # fmt: skip
    stages, selection = Stages(mini.cfg.rerank.regression, mini.cfg.rerank.reproduction), mini.cfg.regression.selection
    for parts in zip(*(_by_task(mini, step, kind) for step, kind in kinds), strict=True):
        (task, localised), (_, repaired), (_, programs), (_, verified) = parts
        name = task.instance_id
        found = Found(localised, repaired, programs, tests[name], kept[name], verified)
        yield evidence_of(task, found, stages, selection)


def _by_task(mini: Mini, step: str, kind: type[Row]) -> Iterator[tuple[TaskView, list[Row]]]:
    """Yield every instance with its rows of a journal, which are in the order of the instances."""
    groups = itertools.groupby(read_rows(mini.journal(step), kind), key=lambda row: row.instance_id)
    name, rows = next(groups, (None, iter(())))
    for task in mini.tasks:
        if task.instance_id == name:
            yield task, list(rows)
            name, rows = next(groups, (None, iter(())))
        else:
            yield task, []
