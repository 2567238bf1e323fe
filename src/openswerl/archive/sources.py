"""Where the hour files and the clones are: in the laptop world, or where the config says."""

from pathlib import Path

from omegaconf import DictConfig

from openswerl.errors import UserError


def hour_files(data: DictConfig, inputs: dict[str, Path]) -> list[Path]:
    """Return the GH Archive hour files in order. Raises UserError if there is none."""
    folder = _existing("data.path", inputs["laptop"] / "gharchive" if data.source == "laptop" else Path(data.path))
    files = sorted(folder.glob("*.json.gz"))
    if not files:
        raise UserError(f"data.path={folder} holds no *.json.gz; see docs/your-own-data.md")
    return files


def clones_folder(data: DictConfig, inputs: dict[str, Path]) -> Path:
    """Return the folder of clones named owner__name or owner__name.git. Raises UserError if it does not exist."""
    return _existing("data.clones", inputs["laptop"] / "repos" if data.source == "laptop" else Path(data.clones))


def _existing(key: str, folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{key}={folder} is not a folder; see docs/your-own-data.md")
    return folder
