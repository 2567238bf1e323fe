"""The files that a policy was given, and those that the reference fix makes: from the clones, after the fact."""

from pathlib import Path
from typing import NamedTuple

from omegaconf import OmegaConf

from openswerl.errors import UserError
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.execution.trees import Entry, PatchError, Tree, apply_patch, changed_paths
from openswerl.evaluate.oracle.context import build_tasks
from openswerl.evaluate.results.outcomes import changed_files
from openswerl.evaluate.views import Problem
from openswerl.report.page.kept import Settings

NO_CLONES = "The clones are not at hand, so neither the files nor rewards are shown."
BY_A_MODEL = "A model chose the related files; its choice is not kept with the evaluation, so they are not shown."


class Given(NamedTuple):
    """Path to text: of the files in the prompt, of these and all that the answer's patch changes, of the fixed files.

    `note` says what is not at hand.
    """

    files: dict[str, str]
    context: dict[str, str]
    oracle: dict[str, str]
    note: str = ""


class Clones:
    """The clones of one evaluation. `folder` is None, or need not exist, where there are none."""

    def __init__(self, folder: Path | None, settings: Settings) -> None:
        self._settings = settings
        self._sources = Sources(folder) if folder is not None and folder.is_dir() else None

    def given(self, problem: Problem, patch: str) -> Given:
        """Return what the prompt showed and what the fix makes of it; nothing but a note without a clone."""
        try:
            return self._given(problem, patch, self._sources) if self._sources else Given({}, {}, {}, NO_CLONES)
        except (UserError, PatchError):
            return Given({}, {}, {}, NO_CLONES)

    def _given(self, problem: Problem, patch: str, sources: Sources) -> Given:
        asked = self._settings.relate.get("predictor") == "llm"
        relate = self._settings.relate | ({"predictor": "static"} if asked else {})
        evaluate = self._settings.evaluate | ({"related_files": 0} if asked else {})
        cfg = OmegaConf.create({"relate": relate, "serving": {}, "evaluate": evaluate})
        files = build_tasks([problem], sources, cfg)[0][0].context
        base = sources.base(problem.task)
        touched = {path: _text(base[path]) for path in sorted(changed_files(patch)) if path in base}
        return Given(files, touched | files, _fixed(base, problem.gold.patch), BY_A_MODEL if asked else "")


def _fixed(base: Tree, patch: str) -> dict[str, str]:
    fixed = apply_patch(base, patch)
    return {path: _text(fixed[path]) if path in fixed else "" for path in changed_paths(base, fixed)}


def _text(entry: Entry) -> str:
    return entry.data.decode("utf-8", "replace")
