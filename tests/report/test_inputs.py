import shutil
from collections.abc import Callable
from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.report.inputs import Inputs, gather
from openswerl.report.prose import remarks
from openswerl.report.run import run
from openswerl.stage import Job

Rows = list[dict[str, Any]]
Edit = Callable[..., None]


def read(job: Job) -> Inputs:
    return gather(job.inputs, job.cfg.grid, job.cfg.report.splits)


def test_everything_of_the_grid_is_read(job: Job) -> None:
    found = read(job)
    assert [item.policy for item in found.evaluations] == [
        "base",
        "sft",
        "sft-gold",
        "grpo-continuous",
        "grpo-discrete",
    ]
    assert [item.policy for item in found.gate] == ["gold", "none"]
    assert [(run.reward, len(run.steps), len(run.rollouts)) for run in found.trainings] == [
        ("continuous", 3, 12),
        ("discrete", 3, 12),
    ]
    assert found.demonstrations[0].kept == 20
    assert found.digests["curate"] == "digest-of-curate" and len(found.digests) == 14
    assert (found.sandbox, found.seeds) == ("bubblewrap", [0])


def test_the_data_stages_are_read(job: Job) -> None:
    found = read(job)
    assert [(row.predictor, row.k, row.recall, row.recall_low) for row in found.quality] == [
        ("static", 1, 0.4, 0.3),
        ("static", 3, 0.7, 0.6),
        ("imports", 1, 0.2, None),
        ("imports", 3, 0.25, None),
    ]
    assert [(row.month, row.expected, row.read, row.missing, row.one_event) for row in found.months] == [
        ("2015-01", 3, 2, 1, 1),
        ("2015-02", 1, 1, 0, 0),
    ]


def test_the_months_of_all_spans_are_joined(job: Job) -> None:
    folder = job.inputs.pop("archive-all")
    job.inputs["archive-2015-01"] = folder
    assert len(read(job).months) == 2
    del job.inputs["archive-2015-01"]
    assert read(job).months == []


def test_a_table_that_does_not_fit_is_refused(job: Job) -> None:
    path = job.inputs["relate"] / "quality.csv"
    path.write_text(path.read_text().replace("0.7000", "most"))
    with pytest.raises(UserError, match=r"quality\.csv: Expected `float`"):
        read(job)


def test_a_missing_input_is_named(job: Job) -> None:
    del job.inputs["evaluate-sft-seed0"]
    with pytest.raises(UserError, match="asks for evaluate-sft-seed0"):
        read(job)


@pytest.mark.parametrize(
    ("backend", "told"), [("laptop", "bubblewrap"), ("local", "local bubblewrap"), ("docker", "docker")]
)
def test_what_ran_the_tests_is_told(job: Job, backend: str, told: str) -> None:
    for name, folder in job.inputs.items():
        if name.startswith("evaluate"):
            write_json(folder / "result.json", {"digest": "x", "sandbox": "bubblewrap", "backend": backend})
    assert read(job).sandbox == told
    local = "not SWE-bench scores" in "; ".join(remarks("node8", job.cfg.report, read(job))[1:])
    assert local == (backend == "local")


def test_two_backends_are_not_mixed(job: Job) -> None:
    folder = job.inputs["evaluate-sft-seed0"]
    write_json(folder / "result.json", {"digest": "x", "sandbox": "bubblewrap", "backend": "docker"})
    with pytest.raises(UserError, match=r"evaluate-sft-seed0 ran in docker and .* which one table must not mix"):
        read(job)


def test_mixed_sandboxes_are_both_named(job: Job) -> None:
    write_json(job.inputs["evaluate-sft-seed0"] / "result.json", {"digest": "x", "sandbox": "process"})
    assert read(job).sandbox == "bubblewrap and process"


@pytest.mark.parametrize(
    ("name", "result", "message"),
    [
        ("evaluate-base-seed0", {"digest": "x"}, "does not name its sandbox"),
        ("curate", {"stage": "curate"}, "has no digest"),
    ],
)
def test_a_result_without_its_facts_is_refused(job: Job, name: str, result: dict[str, str], message: str) -> None:
    write_json(job.inputs[name] / "result.json", result)
    with pytest.raises(UserError, match=message):
        read(job)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rows: rows[4:],
            r"evaluate-sft-seed0 and evaluate-base-seed0 differ in their greedy instances \(11 and 12",
        ),
        (lambda rows: [*rows, rows[0]], r"gate-0 \(greedy, sample 0\) occurs twice"),
        (lambda rows: rows[:1] + rows[2:], "different numbers of sample answers"),
        (lambda rows: [row for row in rows if row["decoding"] != "vote"], "number of sampled answers or votes"),
        (lambda rows: [row for row in rows if row["decoding"] != "greedy"], "has no greedy answer"),
        (
            lambda rows: [row | {"status": "resolved"} for row in rows],
            "gate-7 is resolved by an answer that is not well",
        ),
        (lambda rows: [row | {"cause": "luck"} for row in rows], "cause luck is unknown"),
        (lambda rows: [row | {"split": "other"} for row in rows], "split other is not in evaluate.splits"),
        (
            lambda rows: [row for row in rows if row["decoding"] != "vote" or row["instance_id"] != "gate-1"],
            "vote answers cover other instances",
        ),
    ],
)
def test_inconsistent_outcomes_are_refused(
    job: Job, edit_lines: Edit, change: Callable[[Rows], Rows], message: str
) -> None:
    edit_lines(job.inputs["evaluate-sft-seed0"] / "outcomes.jsonl", change)
    with pytest.raises(UserError, match=message):
        read(job)


def test_rollouts_of_another_run_are_refused(job: Job, edit_lines: Edit) -> None:
    edit_lines(job.inputs["grpo-discrete-seed0"] / "rollouts.jsonl", lambda rows: [r | {"step": 9} for r in rows])
    with pytest.raises(UserError, match=r"rollouts\.jsonl has steps that metrics\.jsonl lacks"):
        read(job)


def test_an_empty_grid_is_refused(job: Job) -> None:
    grid = type("Grid", (), {"baselines": [], "reward": [], "seed": [0], "variant": ["default"]})
    with pytest.raises(UserError, match="no policy"):
        gather(job.inputs, grid, job.cfg.report.splits)


def test_a_folder_without_outcomes_is_named(job: Job) -> None:
    (job.inputs["evaluate-gold-seed0"] / "outcomes.jsonl").unlink()
    with pytest.raises(UserError, match=r"evaluate-gold-seed0/outcomes\.jsonl cannot be read"):
        read(job)


def test_what_agentless_mini_left_is_read(mini_job: Callable[..., Job]) -> None:
    found = read(mini_job("paper_compat"))
    mini = found.evaluations[1].mini
    assert mini and found.leaks and not read(mini_job()).leaks
    own = mini.splits["gate"]
    assert own.localisation and (own.localisation.at[0].recall, own.tests.rate) == (0.15000000000000002, 0.625)
    assert [point.k for point in own.scaling["repair"]] == [1, 2, 4, 8]
    assert found.evaluations[0].breakdown["gate"]["greedy"]["repository"][1].resolved_rate is None


def test_policies_must_have_the_same_choices(mini_job: Callable[..., Job], edit_lines: Edit) -> None:
    job = mini_job()
    edit_lines(
        job.inputs["evaluate-sft-seed0"] / "outcomes.jsonl",
        lambda rows: [row for row in rows if (row["decoding"], row["instance_id"]) != ("mini", "gate-3")],
    )
    with pytest.raises(UserError, match="differ in the instances of mini"):
        read(job)


def test_a_summary_that_does_not_fit_is_refused(mini_job: Callable[..., Job]) -> None:
    job = mini_job()
    path = job.inputs["evaluate-sft-seed0"] / "result.json"
    path.write_text(path.read_text().replace('"selection"', '"choice"'))
    with pytest.raises(UserError, match=r"result\.json: Object missing required field `selection`"):
        read(job)


@pytest.mark.slow
def test_a_policy_of_a_variant_is_another_one(tmp_path, make_job: Callable[..., Job], job: Job) -> None:
    """What no variant changes is there once, without a name; the page shows both."""
    inputs = dict(job.inputs)
    for name in ("evaluate-grpo-continuous-seed0", "grpo-continuous-seed0"):
        inputs[f"{name}@kl-0.02"] = shutil.copytree(inputs[name], tmp_path / f"{name}@kl-0.02")
    varied = make_job(tmp_path / "varied", inputs, "grid.variant=[default,kl-0.02]")
    found = read(varied)
    assert [item.policy for item in found.evaluations] == [
        "base", "sft", "sft-gold", "grpo-continuous", "grpo-continuous@kl-0.02", "grpo-discrete",
    ]  # fmt: skip
    assert [run.reward for run in found.trainings] == ["continuous", "continuous@kl-0.02", "discrete"]
    run(varied)
    table, page = ((varied.out / name).read_text() for name in ("table2.csv", "report.html"))
    assert "\ngrpo-continuous@kl-0.02,gate,0,8," in table and "GRPO continuous, kl-0.02" in page
    grid = ("grid.variant=[kl-0.02]", "grid.baselines=[base]", "grid.reward=[continuous]")
    alone = read(make_job(tmp_path / "alone", inputs, *grid))
    assert [item.policy for item in alone.evaluations] == ["base", "grpo-continuous@kl-0.02"]
