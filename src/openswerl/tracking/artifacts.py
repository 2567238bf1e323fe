"""Results as W&B artifacts, and what each was made from. An artifact names files and where they lie.

`result.json` is always in it, so that another result is another version. Files of the stages in `tracking.upload` are
in it too; others are references, of which W&B is sent path and size alone.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openswerl.config import Cell

KINDS = {"preflight": "check", "sft": "model", "grpo": "model", "evaluate": "evaluation", "report": "report"}
DATA_SET = "dataset"
# What of each stage's folder is in its artifact.
FILES = {
    "laptop": ("benchmark/*.jsonl",),
    "archive": ("coverage.csv",),
    "crawl": ("*.parquet",),
    "curate": ("*.parquet", "funnel.csv"),
    "relate": ("instances.*", "quality.csv"),
    "preflight": ("preflight.html",),
    "sft": ("policy/*", "demonstrations.jsonl"),
    "grpo": ("policy/*", "rollouts.jsonl"),
    "answer": ("answers.jsonl",),
    "evaluate": ("outcomes.jsonl", "predictions.jsonl"),
    "ood": ("outcomes.jsonl",),
    "report": ("*.html", "*.md", "*.csv"),
}


def name_of(cell: Cell) -> str:
    """Return the artifact's name; its version has the digest as alias."""
    return f"{cell.group}-{cell.label}"


def inputs_of(cell: Cell) -> dict[str, str]:
    """Return {artifact: digest} of what the result was made from, which an offline run can state but not link."""
    return {name_of(before): before.digest for before in cell.before}


def result_artifact(cell: Cell) -> Any:
    """Return the artifact of a finished cell, not yet logged."""
    import wandb

    result = cell.folder / "result.json"
    metadata = {"digest": cell.digest, "inputs": inputs_of(cell), "result": json.loads(result.read_text())}
    artifact = wandb.Artifact(name_of(cell), KINDS.get(cell.stage, DATA_SET), metadata=metadata)
    # immutable: no copy is made for the upload
    artifact.add_file(str(result.resolve()), policy="immutable", skip_cache=True)
    for path in sorted(_files(cell)):
        name = str(path.relative_to(cell.folder))
        if cell.stage in cell.cfg.tracking.upload:
            artifact.add_file(str(path.resolve()), name, policy="immutable", skip_cache=True)
        else:
            artifact.add_reference(path.resolve().as_uri(), name, checksum=False)
    return artifact


def record_inputs(run: Any, cell: Cell) -> Iterator[str]:
    """Link an online run to the artifacts that it was made from; yields the names of those that W&B does not have."""
    import wandb

    for name, digest in inputs_of(cell).items():
        try:
            run.use_artifact(f"{name}:{digest}")
        except (wandb.Error, ValueError):
            yield f"{name}:{digest}"


def _files(cell: Cell) -> Iterator[Path]:
    for pattern in FILES.get(cell.stage, ()):
        yield from (path for path in cell.folder.glob(pattern) if path.is_file())
