"""The workflow follows the rules of the house."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from openswerl.stages import STAGES

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "workflow" / "rules"


def test_lint_has_nothing_to_say(project):
    done = project.snakemake("--lint")
    assert (done.returncode, done.stdout.strip()) == (0, "")


def test_snakefmt_has_nothing_to_change():
    command = [sys.executable, "-m", "snakefmt", "--check", "Snakefile", "workflow"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("stage", STAGES)
def test_rule_script_package_and_config_group_share_one_name(stage):
    assert re.findall(r"^rule (\w+):", (RULES / f"{stage}.smk").read_text(), re.M) == [stage]
    assert f'app("{stage}", "openswerl.{stage}.run:run")' in (ROOT / "scripts" / f"{stage}.py").read_text()
    assert (ROOT / "src" / "openswerl" / stage / "run.py").exists()
    assert (ROOT / "src" / "openswerl" / stage / "README.md").exists()


@pytest.mark.parametrize("stage", STAGES)
def test_every_rule_names_its_costs(stage):
    text = (RULES / f"{stage}.smk").read_text()
    for directive in ("log:", f"threads: CFG.resources.{stage}.threads", f'**resources("{stage}")'):
        assert directive in text


def test_there_is_no_file_of_another_kind():
    assert {path.stem for path in RULES.glob("*.smk")} == {"common", "wandb_report", *STAGES}
    others = {"compare", "plan", "wandb_report", "wandb_sync"}
    assert {path.stem for path in (ROOT / "scripts").glob("*.py")} == {*others, *STAGES}
