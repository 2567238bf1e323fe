import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crawl.stages import bytes_of, crawl
from crawl.test_run import make_many
from killing import kill_main

pytestmark = pytest.mark.slow
TESTS = Path(__file__).resolve().parents[1]
CODE = "import sys; from pathlib import Path; from crawl.stages import crawl; crawl(*map(Path, sys.argv[1:]))"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> tuple[Path, dict[str, bytes]]:
    """A world of ten parts, and what is made of it by a run that nobody kills."""
    world = make_many(tmp_path_factory.mktemp("world"), 1950)
    crawl(world, world / "out")
    return world, bytes_of(world / "out")


def start(world: Path, out: Path, workers: str) -> "subprocess.Popen[bytes]":
    environment = os.environ | {"PYTHONPATH": str(TESTS), "OPENSWERL_WORKERS": workers}
    command = [sys.executable, "-c", CODE, str(world), str(out)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)


def kill_when(process: "subprocess.Popen[bytes]", out: Path, pattern: str) -> None:
    """Kill the process as soon as a file of its scratch folder exists; its own processes end by themselves."""
    while not list(out.glob(f"work-digest/{pattern}")):
        assert process.poll() is None, f"the run ended before {pattern}"
        time.sleep(0.002)
    kill_main(process)
    assert not (out / "pull_requests.parquet").exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_kill_in_the_aggregation_changes_nothing(undisturbed, tmp_path, workers):
    world, expected = undisturbed
    kill_when(start(world, tmp_path, workers), tmp_path, "pulls*/database/data.duckdb")
    assert not list(tmp_path.glob("work-digest/pulls*/counts.json"))
    assert start(world, tmp_path, workers).wait() == 0
    assert bytes_of(tmp_path) == expected


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_kill_in_the_join_changes_nothing_and_keeps_finished_parts(undisturbed, tmp_path, workers):
    world, expected = undisturbed
    kill_when(start(world, tmp_path, workers), tmp_path, "pulls*/parts/0000001.json")
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("work-digest/pulls*/parts/*.json")}
    assert 0 < len(kept) < 10
    assert start(world, tmp_path, workers).wait() == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert bytes_of(tmp_path) == expected
