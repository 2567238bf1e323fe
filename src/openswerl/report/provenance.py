"""What the report's numbers come from beside the config: code, machine, versions, time. Not a part of any result."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from openswerl.compose import ROOT
from openswerl.costs import Cost

PACKAGES = ("open-swe-rl", "torch", "transformers", "deepspeed", "swebench", "snakemake", "hydra-core", "matplotlib")


@dataclass(frozen=True)
class Provenance:
    """`wall` is seconds by stage; `commit` and `dirty` are None outside of a git repository."""

    commit: str | None
    dirty: bool | None
    machine: Mapping[str, str]
    versions: Mapping[str, str]
    wall: Mapping[str, float]


def provenance(costs: Mapping[str, Cost]) -> Provenance:
    """Return what is known here of the code and the machine, and the time of what the stages cost."""
    commit = git("rev-parse", "HEAD") if (ROOT / ".git").exists() else None
    dirty = bool(git("status", "--porcelain")) if commit else None
    return Provenance(commit, dirty, machine(), versions(), {stage: cost.wall_seconds for stage, cost in costs.items()})


def git(*arguments: str) -> str | None:
    """Return what git says of this repository; None if it cannot."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def machine() -> dict[str, str]:
    """Return processor, cores, memory, GPUs and system, by the names that the page prints."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} usable"
    found = {"processor": _processor(), "cores": cores, "memory": f"{memory:.1f} GiB", "GPUs": _gpus()}
    return found | {"system": f"{platform.system()} {platform.release()}, {platform.machine()}"}


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8", errors="replace").splitlines() if known.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _gpus() -> str:
    """The driver's own tool knows, without the seconds that torch takes to load."""
    if not shutil.which("nvidia-smi"):
        return "none"
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "; ".join(done.stdout.split("\n")).strip("; ") or "none" if done.returncode == 0 else "none"


def versions() -> dict[str, str]:
    """Return the versions that are installed here."""
    return {"python": sys.version.split()[0]} | {name: metadata.version(name) for name in PACKAGES}
