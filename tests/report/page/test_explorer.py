"""The sample explorer, from a real evaluation of three instances: real git, real tests in the sandbox."""

from pathlib import Path
from typing import Any

import pytest

from evaluation_runs import CORE, USER, Stage, TableSampler, build_world
from openswerl.config import Cell
from openswerl.edits import Block, render
from openswerl.files import write_json
from openswerl.report.inputs import Evaluation
from openswerl.report.page.explorer import Sample, gather, start
from openswerl.report.rows import Outcome, read_lines
from openswerl.reward import score

RIGHT = render("a thought", [Block("calc/core.py", "    return a - b", "    return a + b")])
OTHER = render("a thought", [Block("calc/core.py", "    return a - b", "    return b + a")])
WRONG = render("a thought", [Block("calc/core.py", "    return a - b", "    return a * b * 0")])
ANSWERS = {
    "base": {"add(2, 2)": WRONG, "shout": "<solution>", "sum of 1": RIGHT},
    "sft": {"add(2, 2)": RIGHT, "shout": "no tags", "sum of 1": OTHER},
}


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Two policies evaluated on the three instances, as the stage leaves them."""
    root = tmp_path_factory.mktemp("explorer")
    stage = Stage(root / "run", build_world(root))
    stage.gate()
    for policy, greedy in ANSWERS.items():
        stage.run(policy, TableSampler(greedy, {}), "evaluate.samples=0")
        settings = Cell("evaluate", stage.settings(policy, "evaluate.samples=0")).settings
        write_json(stage.root / "evaluate" / policy / "seed0" / "config.json", settings)
    return stage


def folders_of(stage: Stage) -> dict[str, Path]:
    places = {f"evaluate-{policy}-seed0": stage.root / "evaluate" / policy / "seed0" for policy in ANSWERS}
    return {**places, "laptop": stage.world.laptop}


def samples(folders: dict[str, Path], count: int = 3) -> dict[str, Sample]:
    evaluations = [
        Evaluation(policy, 0, "bubblewrap", read_lines(folders[f"evaluate-{policy}-seed0"] / "outcomes.jsonl", Outcome))
        for policy in ANSWERS
    ]
    return {sample.instance_id: sample for sample in gather(folders, evaluations, ["gate", "templates"], count)}


@pytest.fixture
def found(finished: Stage) -> dict[str, Sample]:
    return samples(folders_of(finished))


def test_what_was_asked_is_the_issue_and_the_files_at_the_base(found: dict[str, Sample]) -> None:
    ((asked, numbers),) = found["acme__calc-1"].asked
    assert numbers == [0, 1], "both policies were asked the same"
    assert asked.issue == "add(2, 2) gives 0" and asked.note == ""
    assert asked.files == {"calc/core.py": CORE, "calc/user.py": USER}
    assert "-    return a - b\n+    return a + b\n" in asked.gold


def test_an_answer_has_its_patch_its_tests_and_its_outcome(found: dict[str, Sample]) -> None:
    wrong, right = found["acme__calc-1"].answers
    assert (wrong.policy, wrong.kind, wrong.row.output) == ("base", "tested", WRONG)
    assert "+    return a * b * 0\n" in wrong.patch
    assert wrong.tested.counts == [("FAIL_TO_PASS", 0, 1), ("PASS_TO_PASS", 1, 1)]
    assert "FAILED tests/test_core.py::test_add" in wrong.tested.log and " in \u2026 =" in wrong.tested.log
    assert (right.policy, right.kind, right.meaning) == ("sft", "resolved", "resolved")
    assert right.tested.counts == [("FAIL_TO_PASS", 1, 1), ("PASS_TO_PASS", 1, 1)]


def test_rewards_are_those_of_training(found: dict[str, Sample]) -> None:
    exact, other = found["acme__calc-3"].answers
    assert [(reward.kind, reward.score.reward) for reward in exact.rewards] == [("continuous", 1.0), ("discrete", 1.0)]
    oracle = {"calc/core.py": CORE.replace("a - b", "a + b")}
    wanted = score({"calc/core.py": CORE, "calc/user.py": USER}, oracle, OTHER, compat="strict")
    assert other.rewards[0].score == wanted and 0 < wanted.reward < 1
    assert other.rewards[1].score.reward == 0.0 and other.kind == "resolved", "another right fix is no exact match"


def test_a_malformed_answer_earns_minus_one_with_its_reason(found: dict[str, Sample]) -> None:
    first, second = found["acme__words-2"].answers
    for answer in (first, second):
        assert answer.kind == "malformed" and answer.patch == "" and answer.tested == ([], "")
        assert [(reward.score.reward, reward.score.reason) for reward in answer.rewards] == [(-1.0, "missing_tag")] * 2


def test_the_page_begins_with_an_answer_whose_tests_ran(found: dict[str, Sample]) -> None:
    assert start([found["acme__calc-1"]]) == 0 and start([found["acme__words-2"]]) == 0 and start([]) == 0
    malformed, tested = found["acme__words-2"].answers[0], found["acme__calc-1"].answers[1]
    assert start([Sample("acme__calc-1", [malformed, tested])]) == 1


def test_every_cause_occurs_in_as_few_instances_as_that_takes(finished: Stage) -> None:
    assert set(samples(folders_of(finished), 2)) >= {"acme__words-2"}
    kinds = {answer.kind for sample in samples(folders_of(finished), 2).values() for answer in sample.answers}
    assert kinds == {"resolved", "tested", "malformed"}


@pytest.mark.parametrize("lost", ["laptop", "rows", "config"])
def test_what_is_not_at_hand_is_said_and_the_rest_is_shown(finished: Stage, tmp_path: Path, lost: str) -> None:
    folders = folders_of(finished)
    if lost == "laptop":
        del folders["laptop"]
    for name in [name for name in folders if name.startswith("evaluate")]:
        folders[name] = copy_without(folders[name], tmp_path / name, lost)
    answer = samples(folders)["acme__calc-1"].answers[1]
    said = {"laptop": "clones", "rows": "rows of the benchmark", "config": "settings"}[lost]
    assert said in answer.asked.note and not answer.asked.files and not answer.rewards
    assert "return a + b" in answer.patch and answer.tested.counts and answer.row.output == RIGHT
    assert bool(answer.asked.issue) is (lost != "rows")


def copy_without(folder: Path, copy: Path, lost: str) -> Path:
    names = {"rows": "rows.jsonl", "config": "config.json"}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != names.get(lost):
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return copy


def test_files_that_a_model_chose_are_said_to_be_missing(finished: Stage, tmp_path: Path) -> None:
    folders = folders_of(finished)
    folders["evaluate-sft-seed0"] = copy_without(folders["evaluate-sft-seed0"], tmp_path / "copy", "config")
    settings: dict[str, Any] = Cell("evaluate", finished.settings("sft")).settings
    settings["relate"]["predictor"] = "llm"
    write_json(tmp_path / "copy" / "config.json", settings)
    first, second = samples(folders)["acme__calc-1"].answers
    assert list(second.asked.files) == ["calc/core.py"] and "A model chose the related files" in second.asked.note
    assert len(samples(folders)["acme__calc-1"].asked) == 2 and "calc/user.py" in first.asked.files
