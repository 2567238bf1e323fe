"""What the stage works on: the instances, the clones that their prompts are made of, and the backend that runs them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.evaluate.backends.protocol import Backend
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.sandbox import isolation
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import Problem, load
from openswerl.stage import Job
from openswerl.stages import GATE

Say = Callable[[str], None]
LAPTOP = "laptop"


class Work(NamedTuple):
    """The instances, those of them that Agentless Mini works on, and the clones that their trees are read from."""

    problems: Sequence[Problem]
    mini: Sequence[Problem]
    sources: Sources


def open_work(job: Job) -> Work:
    """Return the whole benchmark; Agentless Mini works on the first instances of each split, if a policy answers."""
    problems = open_problems(job)
    wanted = {} if job.cfg.policy in GATE else job.cfg.evaluate.mini.splits
    return Work(problems, first(problems, wanted), open_sources(job))


def first(problems: Sequence[Problem], splits: Mapping[str, int]) -> list[Problem]:
    """Return the first instances of each split, as many as there are of those wanted."""
    return [
        problem
        for split, count in splits.items()
        for problem in [one for one in problems if one.task.split == split][:count]
    ]


def open_problems(job: Job) -> list[Problem]:
    """Return the instances that `evaluate.instances` names, else the first of each split of `evaluate.splits`.

    Rows that cannot be graded go to quarantine.jsonl; the laptop's own must all be right.
    """
    cfg = job.cfg.evaluate
    if cfg.benchmark == LAPTOP:
        return load(job.inputs[LAPTOP] / "benchmark" / "rows.jsonl", cfg.splits, names=cfg.instances)
    rows = _given(cfg, "rows", "the file or Hub id of the benchmark's rows")
    rows = Path(rows) if Path(rows).exists() else rows
    return load(rows, cfg.splits, job.out / "quarantine.jsonl", cfg.instances)


def open_sources(job: Job) -> Sources:
    """Return the clones that trees are read from."""
    if job.cfg.evaluate.benchmark == LAPTOP:
        return Sources(job.inputs[LAPTOP] / "repos")
    return Sources(Path(_given(job.cfg.evaluate, "clones", "the folder with <owner>__<name>.git of each repository")))


def open_backend(job: Job, problems: Sequence[Problem], sources: Sources, say: Say) -> Backend:
    """Return the backend of `evaluate.backend`. Raises UserError if this machine cannot run it."""
    return BACKENDS[job.cfg.evaluate.backend](job, problems, sources, say)


def _laptop(job: Job, problems: Sequence[Problem], sources: Sources, say: Say) -> Backend:
    from openswerl.evaluate.backends.laptop import LaptopBackend

    cfg = job.cfg.evaluate
    if cfg.benchmark != LAPTOP:
        raise UserError(
            f"evaluate.backend=laptop installs nothing, so it cannot run evaluate.benchmark={cfg.benchmark}; "
            "choose evaluate.backend=local, docker, podman or apptainer"
        )
    isolation.require(cfg.sandbox)
    return LaptopBackend(sources, cfg.sandbox, cfg.test_timeout_s)


def _local(job: Job, problems: Sequence[Problem], sources: Sources, say: Say) -> Backend:
    from openswerl.evaluate.backends.local import open_local

    cfg = job.cfg.evaluate
    say("backend=local: these are local results, not SWE-bench scores")
    return open_local(_kept(cfg), sources.folder, cfg.sandbox, cfg.test_timeout_s, say)


def _container(job: Job, problems: Sequence[Problem], sources: Sources, say: Say) -> Backend:
    from openswerl.evaluate.backends.docker import DockerBackend, Settings
    from openswerl.evaluate.backends.engine import Engine

    cfg = job.cfg.evaluate
    settings = Settings(_limits(cfg), cfg.container.workers, cfg.container.prune)
    backend = DockerBackend(Engine(cfg.backend, cfg.container.host), settings, job.scratch / "harness")
    for image, message in backend.prepare(problems).items():
        say(f"WARNING: {image} cannot be had ({message}); its instances count as infrastructure")
    return backend


def _apptainer(job: Job, problems: Sequence[Problem], sources: Sources, say: Say) -> Backend:
    from openswerl.evaluate.backends.apptainer import ApptainerBackend

    return ApptainerBackend(_limits(job.cfg.evaluate), _kept(job.cfg.evaluate))


BACKENDS: dict[str, Callable[[Job, Sequence[Problem], Sources, Say], Backend]] = {
    "laptop": _laptop,
    "local": _local,
    "docker": _container,
    "podman": _container,
    "apptainer": _apptainer,
}


def _limits(cfg: DictConfig) -> Limits:
    return Limits(cfg.test_timeout_s)


def _kept(cfg: DictConfig) -> Path:
    return Path(_given(cfg, "environments", "a folder for what it installs"))


def _given(cfg: DictConfig, key: str, what: str) -> Any:
    if not cfg[key]:
        raise UserError(f"evaluate.{key} is not set; give it {what}")
    return cfg[key]
