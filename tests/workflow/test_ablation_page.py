"""docs/ablation.md, run as it stands, at smoke scale."""

import re

import pytest

from workflow_pages import ROOT, at_smoke_scale, blocks_of

PAGE = ROOT / "docs" / "ablation.md"


@pytest.mark.slow
def test_the_page_does_what_it_says(project):
    blocks = blocks_of(PAGE, "sh")
    said = []
    for block in blocks:
        done = project.bash(at_smoke_scale(block.text))
        assert done.returncode == 0, block.text + done.stdout + done.stderr
        said.append(done.stdout)
    assert len(blocks) == 4 and "grpo-continuous@my-kl,grpo-continuous,resolved,greedy" in said[2]
    assert "| grpo.kl_coefficient | reward_mean |" in said[2] and "| 0.05 |" in said[2]
    assert said[3].count("is up to date") == 2, "what Snakemake made is reused by hand"


def test_the_page_names_every_experiment():
    named = PAGE.read_text().rpartition("Those that are there:")[2]
    assert re.findall(r"`(\w+)`", named) and {*re.findall(r"`(\w+)`", named)} == {
        path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml")
    }
