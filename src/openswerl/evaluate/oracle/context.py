"""Build the tasks that a prompt is made of: the oracle files of Table 2, and related files as in training."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from openswerl.crawl.clone import Clone
from openswerl.errors import UserError
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.views import Problem, TaskView, oracle_paths
from openswerl.records import SourceFile, Task, make_task
from openswerl.relate import NO_ANSWER, Query, open_asker, predict
from openswerl.relate import Tree as RelateTree


def build_tasks(problems: Sequence[Problem], sources: Sources, cfg: DictConfig) -> list[list[Task]]:
    """Return, per problem, the task with related files and then the one without.

    Of the gold data, only the names of the oracle files are used; related files are predicted from them and the issue.
    Raises UserError for a problem whose files or gold patch cannot be read. `cfg` holds `relate`,
    `serving` and `evaluate.related_files`.
    """
    settings = OmegaConf.create({**cfg.relate, "max_files": cfg.evaluate.related_files})
    clones: dict[Path, Clone] = {}
    tasks = []
    with ExitStack() as stack:
        if asker := open_asker(settings, cfg.serving):
            stack.callback(asker.close)
        for problem in problems:
            oracle = oracle_paths(sources.base(problem.task), problem.gold)
            path = sources.repository(problem.task)
            if path not in clones:
                clones[path] = stack.enter_context(Clone(path))
            query = Query("", problem.task.problem_statement, tuple(oracle))
            tree = RelateTree(clones[path], problem.task.base_commit)
            answer = asker.ask([(query, tree)])[0] if asker else NO_ANSWER
            related = predict(query, tree, settings, answer)
            tasks.append(_tasks(problem.task, oracle, related, sources))
    return tasks


def _tasks(task: TaskView, oracle: list[str], related: list[str], sources: Sources) -> list[Task]:
    choices = [[*oracle, *related], oracle] if related else [oracle]
    return [
        make_task(task.instance_id, task.problem_statement, [_file(task, path, sources) for path in paths])
        for paths in choices
    ]


def _file(task: TaskView, path: str, sources: Sources) -> SourceFile:
    try:
        return SourceFile(path, sources.base(task)[path].data.decode())
    except UnicodeDecodeError:
        raise UserError(f"{task.instance_id}: {path} is not UTF-8 text; remove the row") from None
