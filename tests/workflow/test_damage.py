"""Each file of each finished result of the data stages, truncated and bit-flipped in turn: refused, or made again."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.stage import required, run_cell

SMALL = ("scale=smoke", "tracking.wandb=disabled")
CHAIN = ("laptop", "crawl", "curate", "relate")
READERS = {"laptop": "crawl", "archive": "crawl", "crawl": "curate", "curate": "relate", "relate": "grpo"}


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.fixture(autouse=True, scope="module")
def not_recorded() -> Iterator[None]:
    """Nothing to tell Snakemake of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENSWERL_SNAKEMAKE", "1")
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("made")
    for stage in CHAIN:
        run_cell(Cell(stage, (*SMALL, f"results={results}")), f"openswerl.{stage}.run:run")
    return results


def files_of(folder: Path) -> list[Path]:
    names = json.loads((folder / "files.json").read_text())
    return [folder / name for name in (*names, "files.json") if (folder / name).stat().st_size]


@pytest.mark.slow
@pytest.mark.parametrize("harm", [flipped, truncated])
def test_no_damaged_file_is_ever_read(made: Path, harm: Callable[[bytes], bytes]) -> None:
    count = 0
    for stage, name in READERS.items():
        reader = Cell(name, (*SMALL, f"results={made}"))
        (cell,) = [before for before in reader.before if before.stage == stage]
        for path in files_of(cell.folder):
            whole = path.read_bytes()
            path.write_bytes(harm(whole))
            with pytest.raises(UserError) as caught:
                required(cell, reader)
            path.write_bytes(whole)
            assert "\n" not in str(caught.value) and str(cell.folder) in str(caught.value), path
            count += 1
        required(cell, reader)
    print(f"{count} damaged files refused")
    assert count > 200


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hours/2023-01-02-0.parquet", "quarantine.jsonl", "coverage.csv", "files.json"])
@pytest.mark.parametrize("harm", [flipped, truncated])
def test_a_stage_run_again_makes_whole_what_was_damaged(made: Path, tmp_path: Path, name: str, harm: Callable) -> None:
    """The archive goes on from hours that were read, so it must not go on from a damaged one."""
    shutil.copytree(made, tmp_path / "results")
    cell = Cell("archive", (*SMALL, f"results={tmp_path / 'results'}", "span=all"))
    path = cell.folder / name
    whole = path.read_bytes()
    if not whole:
        pytest.skip("an empty file")
    path.write_bytes(harm(whole))
    run_cell(cell, "openswerl.archive.run:run")
    assert path.read_bytes() == whole
