"""What a job on a cluster reads before it starts its stage, as the Slurm plugin starts Snakemake there."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from workflow.conftest import ROOT

PROBE = """\
import json, sys
import openswerl.compose as compose
from snakemake.cli import main
composed, real = [], compose._hydra
compose._hydra = lambda overrides, **settings: composed.append(list(overrides)) or real(overrides, **settings)
try:
    main(sys.argv[1:])
except SystemExit as end:
    modules = [name for name in ("torch", "transformers", "deepspeed", "duckdb") if name in sys.modules]
    print(json.dumps({"code": end.code, "composed": composed, "modules": modules}))
"""


@pytest.mark.slow
def test_a_remote_job_composes_its_own_cell_and_imports_no_torch(project):
    where = ("--target-jobs", "grpo:variant=,reward=discrete,seed=0", "--allowed-rules", "grpo", "--mode", "remote")
    options = ("--nolock", "--force", "--cores", "1", "--quiet", "--config", "scale=smoke")
    done = project.run(sys.executable, "-c", PROBE, "--dry-run", *where, *options)
    seen = json.loads(done.stdout.splitlines()[-1])
    assert (seen["code"], seen["modules"]) == (0, []), done.stderr
    assert seen["composed"] == [["scale=smoke"], ["scale=smoke", "reward=discrete"]]


def test_the_slurm_profile_plans_the_same_jobs(project):
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="needs: pip install -c constraints.txt -e '.[slurm]'")
    grouped = {"archive/all"}  # several months are one job
    assert project.plan("crawl", "--profile", "profiles/slurm") == project.plan("crawl") - grouped
    assert "Group job months" in project.snakemake("--dry-run", "crawl", "--profile", "profiles/slurm").stdout


@pytest.mark.parametrize("name", ["default", "slurm", "kubernetes"])
def test_a_profile_says_how_and_not_what(name):
    options = yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())
    assert {"rerun-incomplete", "show-failed-logs", "printshellcmds"} <= options.keys()
    assert not {"config", "configfile", "set-resources"} & options.keys()


def test_the_apptainer_file_copies_what_there_is():
    text = (ROOT / "apptainer.def").read_text()
    files = text.partition("%files\n")[2].partition("\n\n")[0].replace("{{ constraints }}", "constraints.txt")
    pairs = [line.split() for line in files.splitlines()]
    assert len(pairs) == 5 and all(
        (ROOT / here).exists() and Path(there).parent == Path("/build") for here, there in pairs
    )
    dockerfile = (ROOT / "Dockerfile").read_text()
    packages = "apt-get install --yes --no-install-recommends bubblewrap g++ gcc git libc6-dev"
    assert packages in text and packages in dockerfile and "From: python:3.11-slim-bookworm" in text
    assert dockerfile.count("\nFROM ") == 3 and "FROM python:3.11-slim-bookworm AS base" in dockerfile
