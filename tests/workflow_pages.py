"""The command blocks of a page of the documentation, and what they become at smoke scale."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TAGS = {"", "gpu", "cluster", "network", "make"}
SMALLER = {
    "results/laptop": "results/smoke",
    "experiment=kl": 'experiment=kl overrides="grid.seed=[0] grid.variant=[default,kl-0.02]"',
    "grpo.steps=60": "grpo.steps=4 grid.reward=[continuous] grid.baselines=[base] grid.ood=[]",
}
FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(
    r"^(?P<command>(?:\w+=\S+ )*(?:python scripts/\w+\.py|snakemake)\b[^#\n]*?)(?P<rest> *(?:#.*)?)$", re.M
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it is, its language, the word after it, and its text."""

    page: str
    language: str
    tag: str
    text: str


def blocks_of(page: Path, *languages: str) -> list[Block]:
    """Return a page's blocks of these languages, in their order."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [Block(str(page.relative_to(ROOT)), *parts) for parts in found if parts[0] in languages]


def at_smoke_scale(text: str) -> str:
    """Return commands with the scale that a test has time for, on the results of that scale."""
    for wanted, smaller in SMALLER.items():
        text = text.replace(wanted, smaller)
    return COMMAND.sub(lambda found: _smoke(found["command"]) + found["rest"], text)


def _smoke(command: str) -> str:
    if "scale=" in command or re.search(r"scripts/(compare|wandb_\w+)\.py", command):
        return command
    if "snakemake" not in command:
        return f"{command} scale=smoke"
    return (
        command.replace("--config ", "--config scale=smoke ")
        if "--config" in command
        else f"{command} --config scale=smoke"
    )


def commands_of(text: str) -> list[str]:
    """Return the commands of a block that start Snakemake or a script, each on one line."""
    return [match["command"].strip() for match in COMMAND.finditer(re.sub(r"\\\n\s*", "", text))]


def without_cluster(command: str) -> str:
    """Return a command of Snakemake as a dry run of this machine."""
    return re.sub(r" --(profile|sdm|slurm-\S+) \S+| -n\b", "", command) + " --cores 1 --dry-run"
