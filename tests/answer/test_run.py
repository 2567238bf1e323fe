"""An evaluation in parts against the same one in one piece."""

import json
import re
from pathlib import Path

import pytest

from evaluation_runs import Stage
from mini_runs import ScriptedSampler, answer
from openswerl.answer.run import answer as answer_part
from openswerl.config import Cell
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.run import evaluate
from openswerl.graph import parts_of

MINI = (
    "evaluate.mini.splits={gate: 2}", "evaluate.mini.repair.samples=8", "evaluate.gate_runs=2",
    "evaluate.mini.reproduction.samples=6", "evaluate.mini.curves=3",
)  # fmt: skip


def policy() -> Policy:
    sampler = ScriptedSampler(answer)
    return Policy(sampler, sampler.fits)


def in_parts(stage: Stage, name: str, count: int, *overrides: str) -> dict:
    folders = {}
    for part in parts_of(count):
        job = stage.part(name, part, *overrides)
        result = answer_part(job, policy)
        (job.out / "result.json").write_text(json.dumps(result))
        folders[f"answer-{name}-seed0-{part}"] = job.out
    job = stage.job(name, *overrides, f"parts={count}")
    job.inputs.update(folders)

    def nobody() -> Policy:
        raise AssertionError("the evaluation asks nobody")

    return evaluate(job, nobody)


def files(folder: Path) -> dict[str, bytes]:
    """All that an evaluation leaves, but its work and the seconds that pytest tells."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    kept = {name: path.read_bytes() for name, path in found.items() if not name.startswith("work-")}
    return {name: re.sub(rb"in \d+\.\d+s", b"", text) for name, text in kept.items()}


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5])
def test_parts_end_with_the_files_of_the_whole(stage: Stage, tmp_path: Path, count: int) -> None:
    whole = Stage(tmp_path / "whole", stage.world)
    for name in ("gold", "none", "base"):
        first = evaluate(whole.job(name, *MINI), policy)
        second = in_parts(stage, name, count, *MINI)
        for result in (first, second):
            assert result.pop("executed") > 0 and result.pop("cached") >= 0
        place = Path("evaluate", name, "seed0")
        one, other = files(whole.root / place), files(stage.root / place)
        assert first == second and one == other and "outcomes.jsonl" in one
    assert "mini/evidence.jsonl" in one and any(path.startswith("swebench-mini/") for path in one)


def test_a_result_is_the_same_however_many_parts_it_has() -> None:
    own = ("policy=base", "seed=0", "data.source=laptop")
    whole, parts = Cell("evaluate", own), Cell("evaluate", (*own, "parts=3"))
    assert whole.digest == parts.digest and whole.folder == parts.folder
    assert [str(cell.folder) for cell in parts.before if cell.stage == "answer"] == [
        f"results/laptop/answer/base/seed0/{number}-of-3" for number in (1, 2, 3)
    ]
    gold = next(cell for cell in parts.before if cell.stage == "evaluate")
    assert len([cell for cell in gold.before if cell.stage == "answer"]) == 3


def test_a_check_of_environments_has_no_parts() -> None:
    cell = Cell("evaluate", ("policy=base", "evaluate.mode=gold", "parts=3"))
    assert not [before for before in cell.before if before.stage == "answer"]
