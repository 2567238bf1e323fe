"""Every command block of the documentation: run at smoke scale, or planned if its fence names what a test has not."""

import re
import shlex
import subprocess
import sys

import pytest

from openswerl.config import Cell
from openswerl.stage import check_processes
from openswerl.stages import STAGES
from workflow_pages import ROOT, TAGS, at_smoke_scale, blocks_of, commands_of, without_cluster

RUN = [ROOT / "docs" / "tutorial.md", ROOT / "docs" / "your-own-reward.md", ROOT / "README.md"]
OWN_TEST = "ablation.md"  # test_ablation_page.py
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TAGGED = [block for page in PAGES for block in blocks_of(page, "sh") if block.tag]
LIBRARY = ROOT / "docs" / "other-trainers.md"


@pytest.mark.slow
def test_the_pages_do_what_they_say(smoke):
    """In the order of the pages, in one folder, as a reader would."""
    said = []
    for block in (block for page in RUN for block in blocks_of(page, "sh") if not block.tag):
        done = smoke.bash(at_smoke_scale(block.text))
        assert done.returncode == 0, block.page + block.text + done.stdout + done.stderr
        said.append(done.stdout + done.stderr)
    assert len(said) == 7 and "grpo-continuous" in said[0]
    assert "is up to date" in said[1] and "Nothing to be done" in said[1]
    assert said[2].count("\n| ") == 3 and "| reward_mean |" in said[2], "seeds of one setting share a row"
    assert "results/smoke/grpo/short/seed0" in said[5]


def test_python_that_is_not_run_is_python():
    blocks = [block for page in PAGES for block in blocks_of(page, "python")]
    assert blocks
    for block in blocks:
        compile(block.text, block.page, "exec")


@pytest.mark.slow
def test_the_python_of_the_library_page_runs(smoke):
    blocks = [block for block in blocks_of(LIBRARY, "python") if not block.tag]
    script = "\n".join(block.text for block in blocks).replace("results/laptop", "results/smoke")
    done = subprocess.run([sys.executable, "-c", script], cwd=smoke.path, capture_output=True, text=True)
    assert done.returncode == 0 and "to train on; []" in done.stdout, done.stdout + done.stderr


def test_no_block_is_left_out():
    for page in PAGES:
        blocks = blocks_of(page, "sh")
        assert {block.tag for block in blocks} <= TAGS, page
        assert page in RUN or page.name == OWN_TEST or all(block.tag for block in blocks), page
        assert "\n\n```\n" not in page.read_text().replace("\n```\n\n```", ""), f"{page}: a block without a language"


@pytest.mark.parametrize("block", TAGGED, ids=lambda block: f"{block.page}-{block.text.split()[0]}")
def test_a_block_that_is_not_run_is_bash(block):
    done = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("block", TAGGED, ids=lambda block: f"{block.page}-{block.text.split()[0]}")
def test_the_settings_of_a_block_that_is_not_run_compose(block):
    for command in commands_of(block.text):
        script = re.search(r"scripts/(\w+)\.py(.*)", command)
        if script and script[1] in STAGES:
            cell = Cell(script[1], tuple(shlex.split(script[2])))
            check_processes(cell)
            assert cell.params


@pytest.mark.slow
@pytest.mark.parametrize("block", TAGGED, ids=lambda block: f"{block.page}-{block.text.split()[0]}")
def test_a_block_that_is_not_run_can_be_planned(project, block):
    tried = [without_cluster(command) for command in commands_of(block.text) if "snakemake" in command]
    tried += [f"make -C {ROOT} --dry-run {target}" for target in re.findall(r"^make (\w[\w-]*)", block.text, re.M)]
    for command in tried:
        done = project.bash(command)
        assert done.returncode == 0, command + done.stdout + done.stderr
