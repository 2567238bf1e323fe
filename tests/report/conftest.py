"""A small finished grid, written file by file as the earlier stages write it."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openswerl.config import Cell
from openswerl.files import write_json, write_jsonl, write_text
from openswerl.report.run import run
from openswerl.stage import Job

# Of 8 gate and 4 template instances: how many leading ones each policy answers in form, and how many it resolves.
GREEDY = {"gold": (8, 8), "none": (0, 0), "base": (4, 2), "sft": (7, 3), "sft-gold": (8, 7)}
GREEDY |= {"grpo-continuous": (8, 6), "grpo-discrete": (8, 4)}
ANSWER = (
    "<think>\nx\n</think>\n<solution>\n```python\n"
    "### a.py\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n</solution>"
)
QUALITY = """predictor,k,n,repositories,recall,recall_low,recall_high,precision,precision_low,precision_high
static,1,30,2,0.4000,0.3000,0.5000,0.4500,0.3500,0.5500
static,3,30,2,0.7000,0.6000,0.8000,0.3000,0.2500,0.3500
imports,1,30,2,0.2000,,,0.2500,,
imports,3,30,2,0.2500,,,0.1000,,
"""
COVERAGE = """hour,state,bytes,events,kept,quarantined_bytes,note
2015-01-01-0,read,100,50,5,0,
2015-01-01-1,read,10,1,0,0,one_event
2015-01-01-2,missing,0,0,0,0,
2015-02-01-0,read,100,60,6,7,
"""
OVERRIDES = ("scale=smoke", "grid.ood=[]", "evaluate.splits={gate: 8, templates: 4}", "report.resamples=500")


def outcome(instance: str, split: str, decoding: str, sample: int, well: bool, resolved: bool) -> dict[str, Any]:
    status = "resolved" if resolved else "unresolved" if well else "format_error"
    row = {"instance_id": instance, "split": split, "decoding": decoding, "sample": sample, "format_ok": well}
    row |= {"reason": None if well else "no_tags", "patch_sha": "0" if well else None, "status": status, "reward": None}
    row["cause"] = "resolved" if resolved else "not_fixed" if well else "bad_format"
    return row | ({"output": ANSWER} if decoding == "greedy" else {})


def outcomes(policy: str) -> list[dict[str, Any]]:
    well, resolved = GREEDY[policy]
    rows = []
    for split, size, scale in (("gate", 8, 1), ("templates", 4, 2)):
        for k in range(size):
            flags = k < well // scale, k < resolved // scale
            rows.append(outcome(f"{split}-{k}", split, "greedy", 0, *flags))
            if policy not in ("gold", "none"):
                rows += [outcome(f"{split}-{k}", split, "sample", s, flags[0], flags[1] and s == 0) for s in (0, 1)]
                rows.append(outcome(f"{split}-{k}", split, "vote", 0, *flags))
    return rows


def metrics(reward: str) -> list[dict[str, Any]]:
    keys = ("loss", "lr", "grad_norm", "unfinished_rate", "kl")
    return [
        dict.fromkeys(keys, 0.0)
        | {"step": k, "reward_mean": k / 4 - 1, "format_rate": k / 3, "exact_rate": 0.25 * (reward == "continuous")}
        | {"zero_variance": 0.5, "response_tokens": 50.0 + k}
        for k in range(3)
    ]


def rollouts() -> list[dict[str, Any]]:
    rewards = (1.0, 0.6, -1.0, -1.0)
    return [
        {
            "step": k,
            "instance_id": f"train-{s}",
            "sample": s,
            "reward": reward,
            "files": {"a.py": reward},
            "output": ANSWER,
        }
        | {"reason": None if reward >= 0 else "no_tags"}
        for k in range(3)
        for s, reward in enumerate(rewards)
    ]


def write_inputs(root: Path) -> dict[str, Path]:
    names = [f"evaluate-{policy}-seed0" for policy in GREEDY]
    names += [
        "archive-all",
        "curate",
        "relate",
        "sft-paper-seed0",
        "sft-gold-seed0",
        "grpo-continuous-seed0",
        "grpo-discrete-seed0",
    ]
    folders = {name: root / name for name in names}
    for name, folder in folders.items():
        sandbox = {"sandbox": "bubblewrap"} if name.startswith("evaluate") else {}
        write_json(folder / "result.json", {"digest": f"digest-of-{name}", "stage": name.split("-")[0], **sandbox})
    for policy in GREEDY:
        write_jsonl(folders[f"evaluate-{policy}-seed0"] / "outcomes.jsonl", outcomes(policy))
    for reward in ("continuous", "discrete"):
        write_jsonl(folders[f"grpo-{reward}-seed0"] / "metrics.jsonl", metrics(reward))
        write_jsonl(folders[f"grpo-{reward}-seed0"] / "rollouts.jsonl", rollouts())
    kept = {"sampled": 32, "kept": 20, "rejected": {"no_tags": 8, "search_not_found": 4}}
    write_json(folders["sft-paper-seed0"] / "demonstrations.json", kept)
    write_text(folders["curate"] / "funnel.csv", "step,reason,dropped,left\ncrawled,,0,40\nbots,bot author,10,30\n")
    write_text(folders["relate"] / "quality.csv", QUALITY)
    write_text(folders["archive-all"] / "coverage.csv", COVERAGE)
    return folders


POINT = {"instances": 7, "not_judged": 1}


def curve(*rates: float) -> list[dict[str, Any]]:
    """Points at 1, 2, 4, ... with an interval of ten points to either side."""
    return [
        {"k": 2**power, **POINT, "rate": rate, "low": max(0, rate - 0.1), "high": min(1, rate + 0.1)}
        for power, rate in enumerate(rates)
    ]


def mini_split(level: float) -> dict[str, Any]:
    """What result.json says of one split: recall and rates rise with the level, which is a number below 0.6."""
    at = [{"k": k, "recall": level + k / 20, "low": level, "high": level + 0.3, "random": k / 10} for k in (1, 2, 3)]
    return {
        "instances": 8,
        "localisation": {
            "instances": 7,
            "without_oracle": 1,
            "shown": 9.5,
            "at": at,
            "any": {"rate": 0.75, "low": 0.4, "high": 0.9},
        },
        "tests": {"instances": 5, "rate": 0.625, "low": 0.3057, "high": 0.8632, "kept": 2.25},
        "regression": {"instances": 6, "tests": 3.5},
        "repair": {"samples": 8.0, "distinct": 4.5, "unanswered": 1, "reasons": {"no_tags": 3}},
        "scaling": {"repair": curve(level, level + 0.1, level + 0.2, level + 0.25), "tests": curve(level, level + 0.2)},
        "pass_at_k": {"1": level, "8": level + 0.333},
        "counts": {},
    }


def groups() -> dict[str, Any]:
    """Two repositories; one instance of the second was not judged."""
    rates = [("acme/calc", 4, 0, 0.5, 0.15, 0.85), ("acme/text", 3, 1, None, None, None)]
    keys = ("group", "instances", "not_judged", "resolved_rate", "resolved_low", "resolved_high")
    repository = [dict(zip(keys, values, strict=True)) for values in rates]
    return {"gate": {"greedy": {"repository": repository, "files": repository[:1]}}}


def mini_rows(policy: str) -> list[dict[str, Any]]:
    """Choices on the gate split: the full one resolves as many as greedy, fewer stages one less; one is not judged."""
    rows = []
    for choice, less in (("mini", 0), ("mini-majority", 1), ("mini-regression", 1), ("mini-reproduction", 1)):
        rows += [outcome(f"gate-{k}", "gate", choice, 0, True, 0 < k <= GREEDY[policy][1] - less - 1) for k in range(8)]
        rows[-8] |= {"status": "error", "reason": "infrastructure", "cause": "infrastructure"}
    return rows


def add_mini(
    folders: dict[str, Path], selection: str = "honest", sandbox: str = "bubblewrap", apart: float = 0.1
) -> None:
    """Let Agentless Mini have run for every policy; the levels of two policies lie `apart`."""
    for level, policy in enumerate(name for name in GREEDY if name not in ("gold", "none")):
        folder = folders[f"evaluate-{policy}-seed0"]
        mini = {"selection": selection, "confidence": 0.95, "splits": {"gate": mini_split(level * apart)}}
        result = {"digest": f"digest-of-{folder.name}", "sandbox": sandbox, "mini": mini, "breakdown": groups()}
        write_json(folder / "result.json", result)
        write_jsonl(folder / "outcomes.jsonl", [*outcomes(policy), *mini_rows(policy)])


@pytest.fixture
def mini_job(tmp_path: Path, inputs: dict[str, Path]) -> Callable[..., Job]:
    """Return the report's job after Agentless Mini has run."""

    def make(selection: str = "honest", sandbox: str = "bubblewrap", apart: float = 0.1) -> Job:
        add_mini(inputs, selection, sandbox, apart)
        return job_for(tmp_path / "results", inputs)

    return make


# Of 40 items of each suite: how many leading ones each policy answers right; two more were never answered by SFT.
OOD = {"base": (20, 0), "sft": (10, 0), "grpo-continuous": (30, 0)}


def ood_suite(right: int, lost: int, name: str) -> dict[str, Any]:
    """What result.json says of one suite; the intervals are made up."""
    n = 40 - lost
    rates = {key: value for name in ("rate", "format") for key, value in _rates(name, right / n).items()}
    counts = {"correct": right, "wrong": n - right, **({"error": lost} if lost else {})}
    whole = {"items": 40, "n": n, "not_judged": lost, "correct": right, "unfinished": 0, "macro": name == "mmlu"}
    return {**whole, **rates, "rows": None, "quarantined": 0, "statuses": counts, "reasons": {}}


def _rates(name: str, rate: float) -> dict[str, float]:
    return {name: rate, f"{name}_low": max(0, rate - 0.1), f"{name}_high": min(1, rate + 0.1)}


def add_ood(root: Path, folders: dict[str, Path]) -> None:
    """Let three policies have answered two suites; nobody can do the second one."""
    for policy, numbers in OOD.items():
        folder = folders[f"ood-{policy}-seed0"] = root / f"ood-{policy}-seed0"
        lost, suites, rows = 2 if policy == "sft" else 0, {}, []
        for name, right in zip(("humaneval", "mmlu"), numbers, strict=True):
            suites[name] = ood_suite(right, lost, name)
            flags = [k < right if k < 40 - lost else None for k in range(40)]
            rows += [{"suite": name, "id": f"i{k}", "correct": flag} for k, flag in enumerate(flags)]
        result = {"digest": f"digest-of-{folder.name}", "sandbox": "bubblewrap", "confidence": 0.95, "suites": suites}
        write_json(folder / "result.json", result)
        write_jsonl(folder / "outcomes.jsonl", rows)


@pytest.fixture
def ood_job(tmp_path: Path, inputs: dict[str, Path]) -> Job:
    """Return the report's job after three policies have answered the out-of-domain suites."""
    add_ood(tmp_path / "inputs", inputs)
    return job_for(tmp_path / "results", inputs, "grid.ood=[base, sft, grpo-continuous]")


def change_lines(path: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    rows = change([json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line])
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Path]:
    return write_inputs(tmp_path / "inputs")


@pytest.fixture
def job(tmp_path: Path, inputs: dict[str, Path]) -> Job:
    return job_for(tmp_path / "results", inputs)


def job_for(results: Path, folders: dict[str, Path], *overrides: str) -> Job:
    cell = Cell("report", (*OVERRIDES, *overrides))
    return Job(cell.view(), results / "smoke" / "report", folders, "0123456789ab", cell.before)


@pytest.fixture
def make_job() -> Callable[..., Job]:
    return job_for


@pytest.fixture
def edit_lines() -> Callable[..., None]:
    return change_lines


@pytest.fixture(scope="session")
def grid() -> SimpleNamespace:
    """The functions that write a grid's files and make its job, for fixtures of a session."""
    return SimpleNamespace(write_inputs=write_inputs, add_mini=add_mini, change_lines=change_lines, job_for=job_for)


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("page")
    run(job_for(root / "results", write_inputs(root / "inputs")))
    return (root / "results" / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def finished_mini(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A report that was made after Agentless Mini had run; not to be changed."""
    root = tmp_path_factory.mktemp("mini")
    folders = write_inputs(root / "inputs")
    add_mini(folders)
    job = job_for(root / "results", folders)
    run(job)
    return job
