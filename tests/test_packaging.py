import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import openswerl

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins(name: str) -> dict[str, Version]:
    lines = [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]
    parts = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)", line) for line in lines]
    assert all(parts), "a line is not name==version"
    found = {canonicalize_name(part[1]): Version(part[2]) for part in parts if part}
    assert len(found) == len(lines)
    return found


@pytest.mark.parametrize(
    ("file", "extras"),
    [("constraints.txt", ["dev", "docs", "slurm"]), ("constraints-gpu.txt", ["dev", "docs", "gpu"])],
    ids=["cpu", "gpu"],
)
def test_every_dependency_has_one_exact_version_in_its_range(file, extras):
    pinned = pins(file)
    wanted = PROJECT["dependencies"] + [item for extra in extras for item in PROJECT["optional-dependencies"][extra]]
    for requirement in map(Requirement, wanted):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_both_constraints_agree_but_for_what_vllm_needs():
    cpu, gpu = pins("constraints.txt"), pins("constraints-gpu.txt")
    assert {name for name in cpu if gpu[name] != cpu[name]} == {"numpy", "transformers"}


def test_the_conda_file_holds_no_dependency_of_its_own():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment == {
        "name": "openswerl",
        "channels": ["conda-forge"],
        "dependencies": ["python=3.11", "pip", {"pip": ["-e ."]}],
    }
    assert Version("3.11") in Requirement(f"python{PROJECT['requires-python']}").specifier


def test_there_is_one_version():
    changes = re.findall(r"^## \[([0-9.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert openswerl.__version__ == PROJECT["version"] == changes[0] == citation["version"]
    assert citation["license"] == PROJECT["license"]


def test_the_package_ships_its_data():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["openswerl"]
    for pattern in patterns:
        assert list((ROOT / "src" / "openswerl").glob(pattern)), pattern


def test_the_licence_is_the_one_that_is_declared():
    text = (ROOT / "LICENSE").read_text()
    assert PROJECT["license"] == "Apache-2.0"
    assert all(words in text for words in ("Version 2.0, January 2004", "END OF TERMS AND CONDITIONS"))


def test_the_commit_hooks_are_valid_and_need_no_download():
    command = [sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml"]
    assert subprocess.run(command, cwd=ROOT).returncode == 0
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]


@pytest.mark.parametrize("target", ["demo", "test", "test-slow", "check", "docs", "clean", "base-model", "image"])
def test_every_target_of_the_makefile_is_well_formed(target):
    done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ci_runs_the_fast_the_slow_and_the_oracle_tests():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text().splitlines()[-3:] == ["make test", "make test-slow", "make test-oracle"]
