"""The reward and the edit engine as a library: a wheel, and no repository and no training libraries about it."""

import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from repair_instances import GOLDEN, SMALL

ROOT = Path(__file__).resolve().parents[1]
# What docs/other-trainers.md says to install beside the wheel, and what these need themselves.
NEEDED = ("cydifflib", "msgspec", "omegaconf", "unidiff")
BEHIND = ("antlr4-python3-runtime", "PyYAML", "typing_extensions")
HEAVY = ("torch", "numpy", "transformers", "hydra", "snakemake", "wandb", "duckdb", "pandas", "trl")


def test_importing_it_loads_nothing_heavy():
    names = ", ".join(
        ["openswerl.reward", "openswerl.edits", *(f"openswerl.reward.adapters.{x}" for x in ("trl", "verl"))]
    )
    code = f"import sys, {names}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment: the wheel, and links to the few packages that it needs."""
    folder = tmp_path_factory.mktemp("library")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    build = ["wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", "wheels", "."]
    subprocess.run([sys.executable, "-m", "pip", *build], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    (wheel,) = (folder / "wheels").glob("*.whl")
    install = ["--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    link(next(folder.glob("venv/lib/python*/site-packages")))
    return python


def link(packages: Path) -> None:
    for name in NEEDED + BEHIND:
        tops = {Path(file).parts[0] for file in distribution(name).files or () if Path(file).parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            (packages / top).symlink_to(distribution(name).locate_file(top))


def ask(python: Path, code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, "-I", "-c", code], cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
def test_a_wheel_scores_with_four_packages_beside_it(installed, tmp_path):
    code = (
        "import openswerl, sys; from openswerl.reward import score; from openswerl.edits import RULES, edit\n"
        "from openswerl.reward.adapters import trl, verl\n"
        f"context, oracle, output = {SMALL.task.context!r}, {SMALL.oracle!r}, {GOLDEN!r}\n"
        "print(openswerl.__file__.startswith(sys.prefix), score(context, oracle, output).reward)\n"
        "print(score(context, oracle, 'no').reason, edit(context, output, RULES['strict']).new == oracle)"
    )
    done = ask(installed, code, tmp_path)
    assert (done.stdout, done.stderr) == ("True 1.0\nmissing_tag True\n", "")


@pytest.mark.slow
def test_a_wheel_scores_under_a_time_limit(installed, tmp_path):
    code = (
        "from openswerl.reward import score\n"
        "old = ''.join(f'a{n} = {n}\\n' for n in range(3000)); new = old.replace('a7 = 7', 'a7 = 8')\n"
        "answer = '<think>\\nt\\n</think>\\n<solution>\\n```python\\n### a.py\\n<<<<<<< SEARCH\\na7 = 7\\n=======\\n'\n"
        "answer += 'a7 = 8\\n>>>>>>> REPLACE\\n```\\n</solution>'\n"
        "print(score({'a.py': old}, {'a.py': new}, answer, time_limit_s=60).reward)"
    )
    assert ask(installed, code, tmp_path).stdout == "1.0\n"
