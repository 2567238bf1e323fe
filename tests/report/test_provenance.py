import json
import os
import subprocess
from pathlib import Path

from openswerl.compose import ROOT
from openswerl.costs import by_stage
from openswerl.report.provenance import machine, provenance, versions


def test_the_wall_time_of_a_stage_is_that_of_its_jobs_and_variants(tmp_path: Path) -> None:
    seconds = {"grpo/continuous/seed0": 2.5, "variants/tidy/grpo/continuous/seed0": 1.0, "data/crawl": 4.0, "laptop": 3}
    for name, wall in seconds.items():
        path = tmp_path / "costs" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"cpu_seconds": 9.0, "wall_seconds": wall, "peak_megabytes": 7}))
    assert list(provenance(by_stage(tmp_path)).wall.items()) == [("laptop", 3.0), ("crawl", 4.0), ("grpo", 3.5)]


def test_the_commit_is_that_of_the_code(tmp_path: Path) -> None:
    found = provenance({})
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    known = head.returncode == 0 and (ROOT / ".git").exists()
    assert found.commit == (head.stdout.strip() if known else None) and found.wall == {}
    assert (found.dirty is None) is (found.commit is None)


def test_the_machine_is_named() -> None:
    found = machine()
    assert list(found) == ["processor", "cores", "memory", "GPUs", "system"] and all(found.values())
    assert found["cores"].endswith(f"of {os.cpu_count()} usable")
    kilobytes = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if "MemTotal" in line)
    assert found["memory"] == f"{int(kilobytes) / 2**20:.1f} GiB"
    assert {"python", "torch", "open-swe-rl"} <= set(versions())
