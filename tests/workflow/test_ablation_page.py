"""docs/ablation.md, run as it stands, at smoke scale."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ablation.md").read_text()


def at_smoke_scale(block: str) -> str:
    """Return a block of commands, with the scale that a test has time for."""
    return block.replace("--config ", "--config scale=smoke ").replace("grpo.py -m ", "grpo.py -m scale=smoke ")


@pytest.mark.slow
def test_the_page_does_what_it_says(project):
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
    environment = {**os.environ, "OPENSWERL_CONF": str(project.conf)}
    said = []
    for block in map(at_smoke_scale, blocks):
        command = ["bash", "-euc", block]
        done = subprocess.run(command, cwd=project.path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, block + done.stdout + done.stderr
        said.append(done.stdout)
    assert len(blocks) == 4 and "grpo-continuous@my-kl,grpo-continuous,resolved,greedy" in said[2]
    assert "| grpo.kl_coefficient | reward_mean |" in said[2] and "| 0.05 |" in said[2]
    assert said[3].count("is up to date") == 2, "what Snakemake made is reused by hand"


def test_the_page_names_every_experiment():
    named = PAGE.rpartition("Those that are there:")[2]
    assert re.findall(r"`(\w+)`", named) and {*re.findall(r"`(\w+)`", named)} == {
        path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml")
    }
