"""metrics.jsonl is the truth; a W&B run mirrors it, offline unless told otherwise."""

import os
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from openswerl.files import read_jsonl, write_jsonl


class Tracker:
    """Append-only metrics of one run; reopening at a step drops what a killed run wrote beyond it."""

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        self.path = path
        self.rows = [row for row in read_jsonl(path) if row["step"] < from_step]
        write_jsonl(path, self.rows)

    def log(self, step: int, values: dict[str, float | int | str]) -> None:
        """Record the values of one step; on disk when this returns."""
        self.rows.append({"step": step, **values})
        write_jsonl(self.path, self.rows)


def mirror(rows: list[dict[str, Any]], cfg: DictConfig, *, stage: str, digest: str, group: str, folder: Path) -> None:
    """Write the metrics as one W&B run (`<stage>-<digest>`) below `folder`; `tracking.wandb=disabled` writes none."""
    if cfg.tracking.wandb == "disabled":
        return
    os.environ.setdefault("WANDB_SILENT", "true")
    import wandb

    settings = wandb.Settings(console="off", x_disable_stats=True, x_disable_meta=True)
    run = wandb.init(
        project=cfg.tracking.project,
        mode=cfg.tracking.wandb,
        id=f"{stage}-{digest}",
        name=f"{group}",
        group=stage,
        job_type=stage,
        dir=str(folder),
        config=OmegaConf.to_container(cfg),  # type: ignore[arg-type]
        settings=settings,
    )
    for row in rows:
        run.log({key: value for key, value in row.items() if key != "step"}, step=row["step"])
    run.finish()
