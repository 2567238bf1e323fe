import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def costs(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts/dev/costs.py"), *arguments], capture_output=True, text=True
    )


def test_costs_are_summed_by_stage(tmp_path):
    rows = {
        "data/crawl": (1.5, 2.0, 80),
        "grpo/continuous/seed0": (100.25, 60.0, 700),
        "grpo/discrete/seed0": (50.5, 30.0, 900),
    }
    for name, row in rows.items():
        path = tmp_path / "costs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        costs_of_one = dict(zip(("cpu_seconds", "wall_seconds", "peak_megabytes"), row, strict=True))
        path.with_suffix(".json").write_text(json.dumps(costs_of_one))
    lines = costs(str(tmp_path)).stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["crawl", "1", "1.5"],
        ["grpo", "2", "150.8"],
        ["total", "152.2"],
    ]
    assert json.loads(lines[-1])["stages"] == {
        "crawl": {"jobs": 1, "cpu_seconds": 1.5, "wall_seconds": 2.0, "peak_megabytes": 80},
        "grpo": {"jobs": 2, "cpu_seconds": 150.75, "wall_seconds": 90.0, "peak_megabytes": 900},
    }


def test_a_folder_without_costs_is_one_line(tmp_path):
    done = costs(str(tmp_path))
    assert (done.returncode, done.stderr) == (1, f"costs: {tmp_path}/costs holds nothing; run snakemake first\n")
