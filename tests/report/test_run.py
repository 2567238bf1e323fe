import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.report.run import run
from openswerl.stage import Job

OVERRIDES = (
    "scale=smoke",
    "grid.ood=[]",
    "evaluate.splits={gate: 8, templates: 4}",
    "report.resamples=500",
)  # as in conftest.py
TABLES = ("table2", "decoding", "paired", "edits", "causes", "groups", "ablation", "zero_variance", "funnel")
FIGURES = ("figure5-rates", "figure5-curves", "training", "rewards-continuous", "rewards-discrete")
FIGURES += ("resolved", "paper-resolved", "funnel", "paper-funnel")
FILES = {
    *(f"{name}.{form}" for name in (*TABLES, "config_card") for form in ("csv", "parquet", "md", "tex")),
    *(f"figures/{name}.{kind}" for name in FIGURES for kind in ("svg", "png")),
    *("report.html", "provenance.json"),
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


PROVENANCE = re.compile(rb'<section id="provenance">.*?</section>', flags=re.DOTALL)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_provenance(folder: Path) -> dict[str, bytes]:
    """What is promised to be equal: not the machine and the time, which have files and a section of their own."""
    files = {name: PROVENANCE.sub(b"", data) for name, data in contents(folder).items()}
    apart = ("report/provenance.json", *(f"costs/costs.{form}" for form in ("csv", "parquet", "md", "tex")))
    return {name: data for name, data in files.items() if not name.endswith(apart)}


def test_files_and_summary(job: Job) -> None:
    assert run(job) == {"sandbox": "bubblewrap", "files": sorted(FILES - {"provenance.json"})}
    assert set(contents(job.out)) == FILES
    page = job.out.parent.parent / "report.html"
    assert page.read_bytes() == (job.out / "report.html").read_bytes()


def test_costs_stand_beside_the_report_and_not_in_it(job: Job) -> None:
    """Of the stages before: the report's own record is of an earlier time, if there is one."""
    run_dir = job.out.parent
    for name, seconds in (("grpo/continuous/seed0", 100.5), ("report", 7.0)):
        cost = {"cpu_seconds": seconds, "wall_seconds": 60.0, "peak_megabytes": 700}
        write_json(run_dir / f"costs/{name}.json", cost)
    assert run(job)["files"] == sorted(FILES - {"provenance.json"})
    table = (run_dir / "costs/costs.csv").read_text().splitlines()
    assert table == ["stage,jobs,cpu_seconds,wall_seconds,peak_megabytes", "grpo,1,100.50,60.00,700"]
    assert "smoke scale" in (run_dir / "costs/costs.md").read_text()
    assert not [text for text in contents(job.out).values() if b"100.5" in text]


@pytest.mark.slow
def test_equal_inputs_give_equal_bytes_in_another_process(job: Job, tmp_path: Path) -> None:
    run(job)
    out = tmp_path / "again" / "smoke" / "report"
    command = [sys.executable, "-c", AGAIN, str(tmp_path / "inputs"), str(out), job.digest, *OVERRIDES]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"})
    assert without_provenance(tmp_path / "again") == without_provenance(job.out.parent.parent)


def test_the_time_that_stages_took_changes_the_provenance_alone(
    job: Job, tmp_path: Path, make_job: Callable[..., Job]
) -> None:
    run(job)
    other = make_job(tmp_path / "other", job.inputs)
    cost = {"cpu_seconds": 1.0, "wall_seconds": 3723.0, "peak_megabytes": 1}
    write_json(other.out.parent / "costs" / "sft" / "paper.json", cost)
    run(other)
    (other.out.parent / "costs" / "sft" / "paper.json").unlink()
    first, second = job.out.parent.parent, tmp_path / "other"
    assert without_provenance(first) == without_provenance(second)
    assert (second / "smoke/report/provenance.json").read_bytes() != (job.out / "provenance.json").read_bytes()
    page = (second / "report.html").read_text(encoding="utf-8")
    assert "<dd>1 h 2 min 3 s, all jobs one after another</dd>" in PROVENANCE.findall(page.encode())[0].decode()


def test_a_broken_input_leaves_no_page(tmp_path: Path, job: Job) -> None:
    (job.inputs["curate"] / "funnel.csv").unlink()
    with pytest.raises(UserError, match=r"funnel\.csv cannot be read"):
        run(job)
    assert not (tmp_path / "results").exists()
