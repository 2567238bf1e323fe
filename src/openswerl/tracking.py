"""metrics.jsonl is the truth; a W&B run mirrors it, offline unless told otherwise."""

import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from openswerl.errors import UserError


class Journal:
    """Append-only JSON Lines whose rows have a `step`, in order; rows are on disk when `add` returns.

    Reopening at a step drops what a killed run wrote beyond it, a torn last line included. Numbers that are not finite
    become null, which JSON has. Raises UserError for a damaged file.
    """

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            os.truncate(path, _end_of(path, from_step))

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows in one write."""
        text = "".join(json.dumps(_finite(row), sort_keys=True) + "\n" for row in rows)
        with self.path.open("ab", buffering=0) as file:
            file.write(text.encode("ascii"))

    def read(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()] if self.path.exists() else []


def _end_of(path: Path, from_step: int) -> int:
    """Return the length in bytes of the rows before a step."""
    end = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break  # torn by a kill
            try:
                if json.loads(line)["step"] >= from_step:
                    break
            except (ValueError, KeyError, TypeError):
                raise UserError(f"{path} is damaged at byte {end}; delete its folder and train again") from None
            end += len(line)
    return end


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


class Tracker:
    """The metrics of one run: a journal whose rows stay at hand."""

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        self.journal = Journal(path, from_step=from_step)
        self.rows = self.journal.read()

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Record the values of one step; on disk when this returns."""
        self.rows.append({"step": step, **values})
        self.journal.add(self.rows[-1:])


class Mirror:
    """One W&B run (`<stage>-<digest>`) below `folder`, fed as the run goes; `tracking.wandb=disabled` makes none.

    After a kill, feed it the rows so far: an offline run begins anew, and an online one ignores what it has. Nested
    numbers become `name/part`; {"low", "high", "counts"} becomes a histogram.
    """

    def __init__(self, cfg: DictConfig, *, stage: str, digest: str, group: str, folder: Path) -> None:
        self.run = None if cfg.tracking.wandb == "disabled" else _start(cfg, stage, digest, group, folder)

    def log(self, row: Mapping[str, Any]) -> None:
        """Mirror the metrics of `row["step"]`."""
        if self.run is not None:
            self.run.log(_flat({key: value for key, value in row.items() if key != "step"}), step=row["step"])

    def show(self, step: int, image: Path, samples: list[dict[str, Any]]) -> None:
        """Mirror a plot, and sample completions as a table."""
        if self.run is None:
            return
        import wandb

        table = wandb.Table(columns=[*samples[0]], data=[[str(value) for value in row.values()] for row in samples])
        self.run.log({"rewards": wandb.Image(str(image)), "samples": table}, step=step)

    def close(self) -> None:
        """End the run; what it holds is on disk or sent."""
        if self.run is not None:
            self.run.finish()


def mirror(rows: Iterable[Mapping[str, Any]], cfg: DictConfig, **named: Any) -> None:
    """Write finished metrics as one W&B run; the keywords are those of `Mirror`."""
    run = Mirror(cfg, **named)
    for row in rows:
        run.log(row)
    run.close()


def _start(cfg: DictConfig, stage: str, digest: str, group: str, folder: Path) -> Any:
    """Open the run. A resumed offline run is written anew, as nothing can be added to the one before."""
    if cfg.tracking.wandb == "offline":
        shutil.rmtree(folder / "wandb", ignore_errors=True)
    os.environ.setdefault("WANDB_SILENT", "true")
    import wandb

    return wandb.init(
        project=cfg.tracking.project,
        mode=cfg.tracking.wandb,
        id=f"{stage}-{digest}",
        resume="allow" if cfg.tracking.wandb == "online" else None,
        name=group,
        group=stage,
        job_type=stage,
        dir=str(folder),
        config=OmegaConf.to_container(cfg),  # type: ignore[arg-type]
        settings=wandb.Settings(console="off", x_disable_stats=True, x_disable_meta=True),
    )


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping) and "counts" in value:
            flat[prefix + key] = _histogram(value)
        elif isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}/")
        elif value is not None:
            flat[prefix + key] = value
    return flat


def _histogram(value: Mapping[str, Any]) -> Any:
    import numpy as np
    import wandb

    counts = value["counts"]
    return wandb.Histogram(np_histogram=(counts, np.linspace(value["low"], value["high"], len(counts) + 1)))
