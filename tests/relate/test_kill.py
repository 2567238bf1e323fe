import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from killing import kill_main
from openswerl.parquet import read_parquet
from openswerl.records import PullRequest
from parquet_files import write_parquet
from relate.seeds import World

TESTS = Path(__file__).resolve().parents[1]
CODE = "import sys; from pathlib import Path; from relate.seeds import run_relate; run_relate(Path(sys.argv[1]))"


@pytest.mark.slow
def test_a_kill_of_the_main_process_ends_its_workers(tmp_path):
    world = World(tmp_path)
    world.pull(1, {"pkg/a.py": "import pkg.b\nx = 2\n"})
    world.write()
    [seed] = read_parquet(tmp_path / "curate/pull_requests.parquet", PullRequest)
    seeds = [replace(seed, number=number) for number in range(1, 5001)]
    write_parquet(tmp_path / "curate/pull_requests.parquet", seeds, PullRequest)
    environment = os.environ | {"PYTHONPATH": str(TESTS), "OPENSWERL_WORKERS": "2"}
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        assert process.stderr and b"relate: 500 of 5000 seeds" in process.stderr.readline()
        kill_main(process)
        process.stderr.read()  # ends when no process holds the pipe
