"""Turn a work function into a Hydra app: reuse a result, refuse a foreign one, write atomically, tell Snakemake.

A work function is `run(job: Job) -> dict`. It writes its files below `job.out` and returns a summary, which becomes
`result.json` together with the digest. `result.json` is written last, so its presence means that the stage is done, and
`files.json` before it, so that no stage reads a file that is not what was written.
"""

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from openswerl import result_files
from openswerl.compose import CONF, ROOT, key_of, load
from openswerl.config import Cell, under_snakemake
from openswerl.costs import cpu_seconds, write_costs
from openswerl.disks import lock
from openswerl.errors import UserError
from openswerl.files import remove_leftovers, write_json
from openswerl.models.distributed import is_main, leave, rank, world
from openswerl.stages import AXIS_NAMES, STAGES, VARIANT
from openswerl.tracking.mirror import Mirror
from openswerl.tracking.opening import open_mirror
from openswerl.workers import end_with_launcher


@dataclass(frozen=True)
class Job:
    """What a work function gets: its slice of the config, its output folder, and the cells before and their folders.

    `cell` is the one that the config is of: it knows who set each value. `mirror` is told what a long run measures as
    it goes; of other runs it is told from metrics.jsonl as they end.
    """

    cfg: DictConfig
    out: Path
    inputs: dict[str, Path]
    digest: str
    before: tuple[Cell, ...] = ()
    cell: Cell | None = None
    mirror: Mirror = field(default_factory=Mirror)

    @property
    def scratch(self) -> Path:
        """A folder that survives a kill, named by digest, so that no other config ever resumes from it."""
        return self.out / f"work-{self.digest}"


def app(stage: str, work: str) -> Callable[[], None]:
    """Return the Hydra main of `stage`; `work` is "module:function", imported after the config has been checked."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # two spinning threads on two busy cores are slower than one

    @hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")
    def main(_: DictConfig) -> None:
        hydra_config = HydraConfig.get()
        if world() > 1:
            end_with_launcher()
        before = cpu_seconds() if hydra_config.mode == RunMode.MULTIRUN else 0.0
        with one_line(stage):
            run_cell(Cell(stage, tuple(hydra_config.overrides.task)), work, cpu_before=before)
        leave()

    def checked() -> None:
        if not any(argument.startswith("-") for argument in sys.argv[1:]):
            with one_line(stage):
                load(*sys.argv[1:])  # Hydra's own message has many lines
        main()

    return checked


@contextmanager
def one_line(stage: str) -> Iterator[None]:
    """Turn a UserError into one line on stderr and exit code 1."""
    try:
        yield
    except UserError as error:
        where = "" if is_main() else f" in process {rank()}"
        raise SystemExit(f"{stage}: error{where}: {error}") from None


def run_cell(cell: Cell, work: str, *, cpu_before: float = 0.0) -> None:
    """Run one cell unless its result exists. Raises UserError for a missing or foreign result.

    Of several processes the main one alone locks, removes and writes; the others run the work function with it.
    `cpu_before`: the CPU seconds that this process had used before it turned to this cell.
    """
    check_processes(cell)
    if is_main():
        for before in cell.before:
            result_files.bring_to_now(before.folder)
    if up_to_date(cell):
        return
    for before in cell.before:
        if before.stage in STAGES[cell.stage].makes:
            run_cell(before, f"openswerl.{before.stage}.run:run")
    inputs = {name: folder for before in cell.before for name, folder in required(before, cell).items()}
    module, _, name = work.partition(":")
    mirror = open_mirror(cell) if is_main() else Mirror()
    job = Job(cell.view(), cell.folder, inputs, cell.digest, cell.before, cell, mirror)
    if not is_main():
        getattr(importlib.import_module(module), name)(job)
        return
    start = time.monotonic()
    with lock(cell.folder):
        remove_leftovers(cell.folder)
        result_files.discard(cell.folder)
        summary = getattr(importlib.import_module(module), name)(job)
        write_json(cell.folder / "config.json", cell.settings)
        write_costs(cell, time.monotonic() - start, cpu_seconds() - cpu_before)
        result_files.write_result(cell.folder, {"digest": cell.digest, "stage": cell.stage, **summary})
        mirror.close(summary)
    shutil.rmtree(job.scratch, ignore_errors=True)
    print(f"{cell.stage}: wrote {cell.folder} ({cell.digest})")
    if not under_snakemake() and cell.in_graph:
        adopt(cell)


def up_to_date(cell: Cell) -> bool:
    """Whether the cell's result is there and whole; a damaged one is made again. Raises UserError for a foreign one."""
    result = read_result(cell)
    if result is None:
        return False
    if (fault := result_files.fault(cell.folder)) is not None:
        print(f"{cell.stage}: {fault}: the result is made again", flush=True)
        return False
    print(f"{cell.stage}: {cell.folder} is up to date ({cell.digest})")
    if "verdict" in result:
        print(f"{cell.stage}: {result['verdict']}")
    return True


def check_processes(cell: Cell) -> None:
    """Raise UserError unless as many processes on as many machines were started as a training stage's config says."""
    started = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    trains = "processes" in STAGES[cell.stage].untracked
    wanted, nodes = (cell.cfg.processes, cell.cfg.nodes) if trains else (1, 1)
    if started != wanted:
        raise UserError(
            f"processes={wanted} and {started} were started: run this stage by Snakemake, or by "
            f"python -m openswerl.launch {wanted} scripts/{cell.stage}.py ..."
        )
    if world() != started * nodes:
        raise UserError(
            f"nodes={nodes} and {world() // started} were started: run this stage by Snakemake with profiles/slurm, "
            f"or in a Slurm job by srun --nodes={nodes} --ntasks-per-node=1 python -m openswerl.launch {wanted} "
            f"scripts/{cell.stage}.py ..."
        )


def read_result(cell: Cell) -> dict[str, Any] | None:
    """Return the cell's result, None if there is none. Raises UserError if another config made it."""
    path = cell.folder / "result.json"
    try:
        result: dict[str, Any] = dict(json.loads(path.read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError):
        raise UserError(f"{path} is damaged; delete it and run again") from None
    if result.get("digest") != cell.digest:
        raise UserError(
            f"{path} was made by another config ({result.get('digest')}, this one is {cell.digest}): "
            f"choose results=NEW, or remake it with: {shlex.join(snakemake(cell, '--force'))}"
        )
    return result


def required(cell: Cell, reader: Cell) -> dict[str, Path]:
    """Return {input name: folder} of a finished cell, all of whose files are what was written.

    Raises UserError with the command that makes it. Of several processes the main one alone looks at the files.
    A variant is named where the reader is not of it, as a report, which reads several.
    """
    if read_result(cell) is None:
        raise UserError(f"{cell.folder} is not finished; make it with: {shlex.join(snakemake(cell))}")
    if is_main() and (fault := result_files.fault(cell.folder, STAGES[reader.stage].unread)) is not None:
        raise UserError(f"{fault}; remake it with: {shlex.join(snakemake(cell, '--force'))}")
    variant = f"@{cell.variant}" if cell.variant and f"{VARIANT}={cell.variant}" not in reader.overrides else ""
    return {cell.name + variant: cell.folder}


def snakemake(cell: Cell, *options: str) -> list[str]:
    """Return the Snakemake command for this cell's result."""
    overrides = [item for item in cell.overrides if key_of(item) not in (*AXIS_NAMES, VARIANT)]
    config = ["--config", f"overrides={' '.join(map(_escaped, overrides))}"] if overrides else []
    return ["snakemake", "--cores", "all", *options, str(cell.folder / "result.json"), *config]


def _escaped(override: str) -> str:
    """Return a word for shlex without quotes, which Snakemake strips from the ends of a value."""
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", override)


def adopt(cell: Cell) -> None:
    """Record a result made by hand in Snakemake's metadata, so that a later config edit plans it anew.

    A failure is a warning: a Snakemake that runs here holds the lock, and the digest still guards the result.
    """
    options = ["--snakefile", str(ROOT / "Snakefile"), "--touch", "--force"]
    done = subprocess.run([sys.executable, "-m", *snakemake(cell, *options)], capture_output=True, text=True)
    if done.returncode:
        message = "; ".join(line.strip() for line in done.stderr.splitlines() if line.strip())
        print(f"{cell.stage}: warning: Snakemake did not record this result: {message[-300:]}", file=sys.stderr)
