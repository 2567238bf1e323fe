"""How much data there is: in the generated world by its settings, in the public record by the paper's counts."""

from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig

from openswerl.archive.download import hours_between

# Of the paper's range (section 2, appendix A), 84,744 hours; 3 TB is an extrapolation from the archive of 2022.
HOURS, ARCHIVE, REPOSITORIES, PULL_REQUESTS, SEEDS = 84_744, 3e12, 4.6e6, 24e6, 273e3
CLONE = 11e6  # bytes of a mirror: the nine small repositories of data=sample; large ones are far larger
# Of the generated world: what was seen at laptop scale.
WORLD_HOURS, WORLD_HOUR, WORLD_CLONE, NOISE = 48, 13e3, 0.23e6, 1.2


@dataclass(frozen=True)
class Volume:
    """Hour files and their bytes (gzip), repositories and bytes of a clone, merged pull requests, RL seeds."""

    hours: float
    archive: float
    repositories: float
    clone: float
    pull_requests: float
    seeds: float


def volume_of(data: DictConfig) -> Volume:
    """Return what `cfg.data` names."""
    if data.source == "laptop":
        return _world(data.world)
    if data.source == "local":
        return _local(Path(data.path), Path(data.clones))
    hours = len(hours_between(data.start, data.end))
    share = hours / HOURS
    repositories = len(data.repositories) or REPOSITORIES * share
    chosen = repositories / (REPOSITORIES * share)
    return Volume(hours, ARCHIVE * share, repositories, CLONE, PULL_REQUESTS * share * chosen, SEEDS * share * chosen)


def _world(world: DictConfig) -> Volume:
    held_out = world.gate_repositories + world.template_repositories
    fixes = world.repositories * world.fixes_per_repository
    pull_requests = NOISE * (fixes + held_out * world.fixes_per_heldout_repository)
    return Volume(
        WORLD_HOURS, WORLD_HOURS * WORLD_HOUR, world.repositories + held_out, WORLD_CLONE, pull_requests, fixes
    )


def _local(path: Path, clones: Path) -> Volume:
    """Files that are there; how many pull requests they hold is not known before they are read."""
    sizes = [file.stat().st_size for file in path.glob("**/*.json.gz")]
    share = sum(sizes) / ARCHIVE
    count = sum(1 for folder in clones.glob("*") if folder.is_dir())
    return Volume(len(sizes), sum(sizes), count, CLONE, PULL_REQUESTS * share, SEEDS * share)
