"""The archive and crawl stages on folders of a test."""

from pathlib import Path
from typing import Any

from openswerl.archive import run as archive_stage
from openswerl.config import Cell
from openswerl.crawl import run as crawl_stage
from openswerl.files import write_json
from openswerl.stage import Job

OUTPUTS = ("pull_requests.parquet", "blobs.parquet", "repositories.jsonl", "quarantine.jsonl", "coverage.csv")


def make_archive(folder: Path, hours: Path) -> Path:
    """Read hour files as the archive stage does, and return its folder."""
    cell = Cell("archive", ("data=local", f"data.path={hours}"))
    write_json(folder / "result.json", archive_stage.run(Job(cell.view(), folder, {}, "digest")))
    return folder


def crawl(world: Path, out: Path, *overrides: str) -> dict[str, Any]:
    """Crawl `world`/hours and `world`/clones."""
    archive = make_archive(world / "archive", world / "hours")
    return crawl_archive(archive, out, "data=local", f"data.clones={world / 'clones'}", *overrides)


def crawl_archive(archive: Path, out: Path, *overrides: str) -> dict[str, Any]:
    """Crawl a folder of the archive stage."""
    return crawl_stage.run(Job(Cell("crawl", overrides).view(), out, {"archive-all": archive}, "digest"))


def bytes_of(out: Path) -> dict[str, bytes]:
    """Return what the crawl wrote."""
    return {name: (out / name).read_bytes() for name in OUTPUTS}
