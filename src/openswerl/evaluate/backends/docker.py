"""The backend of official images: gradings by the official harness, everything else by `docker run` without network.

Podman is the same with its own program and socket. This was never run against a real engine: see harness/README.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openswerl.evaluate.backends import inside
from openswerl.evaluate.backends.engine import Engine, Image, check_disk, look, pull, run_words
from openswerl.evaluate.backends.identity import identity
from openswerl.evaluate.backends.shard import Shard, run_shard
from openswerl.evaluate.execution.actions import Action, Grading
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.specs import find_spec
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import GoldView, Problem, TaskView

VERSION = 1


@dataclass(frozen=True)
class Settings:
    """`workers` containers at once; `prune` removes each image that was pulled here once it is not used any more.

    That is when its shard is done, or when another image is run.
    """

    limits: Limits
    workers: int = 1
    prune: bool = False


class DockerBackend:
    """Runs actions in containers of the rows' images; the harness's files stay below `folder`, one folder a shard."""

    def __init__(self, engine: Engine, settings: Settings, folder: Path) -> None:
        self.engine, self.settings, self.folder = engine, settings, folder
        self.kind = engine.program
        self._images: dict[str, Image] = {}
        self._latest: str | None = None

    def prepare(self, problems: Sequence[Problem]) -> dict[str, str]:
        """Look for all images and the disk that they need, before anything runs.

        Returns image to message for those that cannot be had: their instances will be infrastructure. Raises UserError
        if there is no engine, or too little disk.
        """
        for image in dict.fromkeys(problem.task.image for problem in problems):
            self._look(image)
        check_disk(self.engine, self._images.values(), self.settings.workers if self.settings.prune else None)
        return {name: image.message for name, image in self._images.items() if _lost(image)}

    def environment(self, task: TaskView) -> str:
        """Return the image, by its id where it is here already, limits, the version of swebench and the recipe."""
        done = self.engine.ask(["image", "inspect", "--format", "{{.Id}}", task.image])
        image = done.stdout.strip() if not done.returncode else task.image
        return identity(self.kind, VERSION, image, self.settings.limits, find_spec(task.repo, task.version))

    def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
        """Run one action. A grading goes through the official harness, but for the unpatched base, which it never runs.

        State "infrastructure": no image, a rate limit, or an engine that fails. Raises UserError if there is none.
        """
        image = self._look(task.image)
        self._leave(task.image)
        if isinstance(action, Grading) and patch:
            return self.grade_all([(action.gold, patch)], attempt)[0]
        if _lost(image):
            return Execution("infrastructure", None, image.message)
        if wrong := pull(self.engine, task.image):
            return Execution("infrastructure", None, wrong)
        return self._in_container(task, patch, action)

    def grade_all(self, wanted: Sequence[tuple[GoldView, str]], attempt: int = 0) -> list[Execution]:
        """Grade many patches by the official harness, one shard after another."""
        images = {number: self._look(gold.row["image"]) for number, (gold, _) in enumerate(wanted)}
        found = {n: Execution("infrastructure", None, image.message) for n, image in images.items() if _lost(image)}
        size = self.settings.workers if self.settings.prune else None
        for numbers in rounds([None if n in found else gold.instance_id for n, (gold, _) in enumerate(wanted)], size):
            golds, patches = zip(*(wanted[number] for number in numbers), strict=True)
            shard = Shard(golds, patches, attempt)
            timeout_s = int(self.settings.limits.timeout_s)
            executions = run_shard(shard, self.engine, self.folder, self.settings.workers, timeout_s)
            found |= dict(zip(numbers, executions, strict=True))
            self._prune({gold.row["image"] for gold in shard.golds})
        return [found[number] for number in range(len(wanted))]

    def close(self) -> None:
        """Remove what was pulled, if so set."""
        self._prune(set(self._images))

    def _look(self, image: str) -> Image:
        if image not in self._images:
            self._images[image] = look(self.engine, image)
        return self._images[image]

    def _leave(self, image: str) -> None:
        """Remove the image of the run before, if so set, unless it is this one."""
        if self._latest not in (None, image):
            self._prune({self._latest})
        self._latest = image

    def _prune(self, images: set[str]) -> None:
        if self.settings.prune:
            for image in sorted(images):
                if self._images[image].place == "registry":
                    self.engine.ask(["image", "rm", image])

    def _in_container(self, task: TaskView, patch: str, action: Action) -> Execution:
        words, name = inside.told(), f"openswerl-{uuid.uuid4().hex[:12]}"
        command = [self.engine.program, *run_words(task.image, name, self.settings.limits)]
        script = inside.script(task, patch, action, words)
        ended = inside.fed(command, self.engine.environment(), script, self.settings.limits)
        if ended.state != "exited":
            self.engine.ask(["kill", name])  # the engine's program is dead, its container is not
        return inside.read(ended, words, action)


def rounds(names: Sequence[str | None], size: int | None) -> Iterator[list[int]]:
    """Yield the numbers of all names but None, in groups of at most `size` in which no name occurs twice."""
    left = [number for number, name in enumerate(names) if name is not None]
    while left:
        first = {names[number]: number for number in reversed(left)}
        group = sorted(first.values())[:size]
        yield group
        left = [number for number in left if number not in group]


def _lost(image: Image) -> bool:
    return image.place not in ("here", "registry")
