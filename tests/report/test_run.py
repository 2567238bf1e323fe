import os
import subprocess
import sys
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.report.run import run
from openswerl.stage import Job

OVERRIDES = (
    "scale=smoke",
    "grid.ood=[]",
    "evaluate.splits={gate: 8, templates: 4}",
    "report.resamples=500",
)  # as in conftest.py
FIGURES = ("figure5-rates", "figure5-curves", "training", "rewards-continuous", "rewards-discrete")
FIGURES += ("resolved", "paper-resolved", "funnel", "paper-funnel")
FILES = {
    *(
        "table2.csv",
        "table2.md",
        "decoding.csv",
        "edits.csv",
        "paired.csv",
        "funnel.md",
        "report.html",
    ),
    *("config_card.csv", "causes.csv", "groups.csv"),
    *(f"figures/{name}.{kind}" for name in FIGURES for kind in ("svg", "png")),
}
AGAIN = """
import sys
from pathlib import Path
from openswerl.config import Cell
from openswerl.report.run import run
from openswerl.stage import Job
inputs, out, digest, *overrides = sys.argv[1:]
folders = {folder.name: folder for folder in sorted(Path(inputs).iterdir(), reverse=True)}
cell = Cell("report", tuple(overrides))
run(Job(cell.view(), Path(out), folders, digest, cell.before))
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_and_summary(job: Job) -> None:
    assert run(job) == {"sandbox": "bubblewrap", "files": sorted(FILES)}
    assert set(contents(job.out)) == FILES
    page = job.out.parent.parent / "report.html"
    assert page.read_bytes() == (job.out / "report.html").read_bytes()


@pytest.mark.slow
def test_equal_inputs_give_equal_bytes_in_another_process(job: Job, tmp_path: Path) -> None:
    run(job)
    out = tmp_path / "again" / "smoke" / "report"
    command = [sys.executable, "-c", AGAIN, str(tmp_path / "inputs"), str(out), job.digest, *OVERRIDES]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"})
    assert contents(tmp_path / "again") == contents(job.out.parent.parent)


def test_a_broken_input_leaves_no_page(tmp_path: Path, job: Job) -> None:
    (job.inputs["curate"] / "funnel.csv").unlink()
    with pytest.raises(UserError, match=r"funnel\.csv cannot be read"):
        run(job)
    assert not (tmp_path / "results").exists()
