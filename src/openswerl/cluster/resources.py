"""What a job asks of Snakemake, and through it of a cluster; from conf/resources/, `processes` and `nodes`."""

import math
from collections.abc import Callable

from omegaconf import DictConfig

from openswerl.stages import STAGES

Resource = int | str | Callable[..., int]


def resources(cfg: DictConfig, stage: str) -> dict[str, Resource]:
    """Return the resources of a rule, by the names that snakemake-executor-plugin-slurm gives them.

    A second try asks for twice the memory and time, a third for three times, as the first may have been killed for
    lack of them; but for no more memory than a machine has (`plan.memory_gib`), if the first asked for less. Stages of
    several nodes are one job of one task a node, which their `launcher` fills.
    """
    need, nodes = cfg.resources[stage], nodes_of(cfg, stage)
    asked: dict[str, Resource] = {
        "mem_mb": _grown(need.mem_mb, int(cfg.plan.memory_gib * 1024)),
        "runtime": _grown(need.runtime),
    }
    if need.gpu:
        asked["gpu"] = need.gpu * nodes
    if nodes > 1:
        # `mpi` leaves srun to the rule; without tasks_per_gpu=0 the plugin would ask for so many tasks on each GPU
        asked |= {"mpi": "srun", "nodes": nodes, "tasks": nodes, "tasks_per_gpu": 0}
    return asked


def nodes_of(cfg: DictConfig, stage: str) -> int:
    """Return how many machines a job of this stage is spread over: one, but for training."""
    return int(cfg.nodes) if "nodes" in STAGES[stage].untracked else 1


def launcher(cfg: DictConfig) -> list[str]:
    """Return what starts a training script: Python, our launcher, or srun with our launcher on every node."""
    if cfg.nodes == 1:
        return ["python", "-m", "openswerl.launch", str(cfg.processes)] if cfg.processes > 1 else ["python"]
    srun = ["srun", f"--nodes={cfg.nodes}", f"--ntasks={cfg.nodes}", "--ntasks-per-node=1", "--kill-on-bad-exit=1"]
    return [*srun, "python", "-m", "openswerl.launch", str(cfg.processes)]


def _grown(amount: int, most: float = math.inf) -> Callable[..., int]:
    def grown(wildcards: object, attempt: int) -> int:
        return int(min(amount * attempt, max(amount, most)))

    return grown
