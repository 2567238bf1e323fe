"""The files that a policy was given, and those that the reference fix makes: from the clones, after the fact."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.execution.trees import Entry, PatchError, apply_patch, changed_paths
from openswerl.evaluate.oracle.context import build_tasks
from openswerl.evaluate.results.outcomes import changed_files
from openswerl.evaluate.views import Problem
from openswerl.report.page.kept import Settings

NO_CLONES = "The clones are not at hand, so neither the files nor rewards are shown."
BY_A_MODEL = "A model chose the related files; its choice is not kept with the evaluation, so they are not shown."


class Given(NamedTuple):
    """Path to text of the files in the prompt, and of the changed files under the reference fix; what is amiss."""

    files: dict[str, str]
    oracle: dict[str, str]
    note: str = ""


class Clones:
    """The clones of one evaluation. `folder` is None, or need not exist, where there are none."""

    def __init__(self, folder: Path | None, settings: Settings) -> None:
        self._settings = settings
        self._sources = Sources(folder) if folder is not None and folder.is_dir() else None

    def given(self, problem: Problem) -> Given:
        """Return what the prompt showed and what the fix makes of it; nothing but a note without a clone."""
        asked = self._settings.relate.get("predictor") == "llm"
        relate = self._settings.relate | ({"predictor": "static"} if asked else {})
        evaluate = self._settings.evaluate | ({"related_files": 0} if asked else {})
        if self._sources is None:
            return Given({}, {}, NO_CLONES)
        try:
            cfg = OmegaConf.create({"relate": relate, "serving": {}, "evaluate": evaluate})
            files = build_tasks([problem], self._sources, cfg)[0][0].context
            return Given(files, self._oracle(problem), BY_A_MODEL if asked else "")
        except (UserError, PatchError):
            return Given({}, {}, NO_CLONES)

    def texts(self, problem: Problem, patch: str) -> dict[str, str]:
        """Return the texts at the base of the files that a patch changes."""
        base = self._sources.base(problem.task) if self._sources else {}
        return {path: _text(base[path]) for path in sorted(changed_files(patch)) if path in base}

    def _oracle(self, problem: Problem) -> dict[str, str]:
        assert self._sources is not None
        base = self._sources.base(problem.task)
        fixed: Mapping[str, Entry] = apply_patch(base, problem.gold.patch)
        return {path: _text(fixed[path]) if path in fixed else "" for path in changed_paths(base, dict(fixed))}


def _text(entry: Entry) -> str:
    return entry.data.decode("utf-8", "replace")
