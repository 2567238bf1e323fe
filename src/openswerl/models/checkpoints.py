"""Rolling checkpoints of a training run: DeepSpeed's files, and a manifest of their digests, written last.

A folder `step<n>` without a manifest is what a kill left and does not count. DeepSpeed's files are pickles, so they
are read only after their digests have been compared. They serve to resume a run in its own scratch folder; what
others hand out is read as safetensors.
"""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.models.distributed import barrier, gather, is_main, world

MANIFEST = "manifest.json"
STEP = re.compile(r"step(\d+)")


def save(deepspeed: Any, folder: Path, step: int, keep: int) -> None:
    """Save as `folder/step<step>`, then delete all but the `keep` newest. All processes must call it."""
    target = folder / f"step{step}"
    if is_main():
        shutil.rmtree(target, ignore_errors=True)
    barrier()
    deepspeed.save_checkpoint(str(folder), tag=target.name, save_latest=False)
    barrier()
    if is_main():
        write_json(target / MANIFEST, {"processes": world(), "sha256": _digests(target)})
        for old in _folders(folder)[keep:]:
            shutil.rmtree(old)
    barrier()


def resume(deepspeed: Any, folder: Path) -> int:
    """Load the newest complete checkpoint in place; returns its step, 0 if there is none.

    Raises UserError, on every process, if it is damaged or was written by another number of processes.
    """
    newest, fault = _checked(folder) if is_main() else (None, None)
    newest, fault = gather([(newest, fault)])[0]
    if fault is not None:
        raise UserError(fault)
    if newest is None:
        return 0
    deepspeed.load_checkpoint(str(folder), tag=newest.name)
    return _step(newest)


def _checked(folder: Path) -> tuple[Path | None, str | None]:
    """Return the newest complete checkpoint and what is wrong with it, on the main process, past incomplete ones."""
    found = _folders(folder)
    newest = next((path for path in found if (path / MANIFEST).exists()), None)
    if newest is None:
        return None, None
    earlier = [path for path in found if path != newest and (path / MANIFEST).exists()]
    instead = f"step {_step(earlier[0])}" if earlier else "the beginning"
    if (fault := _fault(newest)) is not None:
        return newest, f"the checkpoint {newest} {fault}; delete that folder to go on from {instead}"
    return newest, None


def _fault(checkpoint: Path) -> str | None:
    try:
        manifest = json.loads((checkpoint / MANIFEST).read_text())
        expected, processes = manifest["sha256"], manifest["processes"]
    except (ValueError, KeyError, TypeError):
        return f"is damaged ({MANIFEST} cannot be read)"
    actual = _digests(checkpoint)
    damaged = [name for name in sorted(expected) if actual.get(name) != expected[name]]
    if damaged:
        return f"is damaged ({damaged[0]} is not what was written)"
    if processes != world():
        return f"was written by {processes} processes and there are {world()}: set processes={processes}, or start anew"
    return None


def _digests(checkpoint: Path) -> dict[str, str]:
    files = [path for path in checkpoint.rglob("*") if path.is_file() and path.name != MANIFEST]
    return {path.relative_to(checkpoint).as_posix(): _sha256(path) for path in files}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folders(folder: Path) -> list[Path]:
    """Return the checkpoints, newest first."""
    found = [path for path in folder.glob("step*") if STEP.fullmatch(path.name)]
    return sorted(found, key=_step, reverse=True)


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("step"))
