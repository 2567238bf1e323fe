"""Where the hour files and the clones are: in the laptop world, or where the config says."""

from pathlib import Path

from omegaconf import DictConfig

from openswerl.errors import UserError


def hour_files(data: DictConfig, inputs: dict[str, Path]) -> list[Path]:
    """Return the hour files of the laptop world or of a folder, in order. Raises UserError if there is none."""
    folder = existing("data.path", inputs["laptop"] / "gharchive" if data.source == "laptop" else data.path)
    files = sorted(folder.glob("*.json.gz"))
    if not files:
        raise UserError(f"data.path={folder} holds no *.json.gz; see docs/your-own-data.md")
    return files


def local_files(data: DictConfig) -> list[str]:
    """Return the hour files of data.source=local; none for other sources, whose files a stage makes."""
    if data.source != "local" or data.path is None:
        return []
    # Snakemake takes braces in a name for a wildcard, and stops at a broken link: such a file is not watched.
    files = sorted(Path(data.path).glob("*.json.gz"))
    return [str(path) for path in files if path.is_file() and "{" not in str(path)]


def clones_folder(data: DictConfig, inputs: dict[str, Path]) -> Path:
    """Return the folder of clones named owner__name or owner__name.git. Raises UserError if it does not exist."""
    return existing("data.clones", inputs["laptop"] / "repos" if data.source == "laptop" else data.clones)


def existing(key: str, folder: Path | str | None) -> Path:
    """Return the folder. Raises UserError that names the key if it is not given or does not exist."""
    if folder is None or not Path(folder).is_dir():
        raise UserError(f"{key}={folder} is not a folder; see docs/your-own-data.md")
    return Path(folder)
