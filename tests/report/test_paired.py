from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.files import read_jsonl, write_json, write_jsonl
from openswerl.report.inputs import gather
from openswerl.report.paired import Difference, ablation, differences, pairs
from openswerl.stage import Job


def found(job: Job) -> dict[tuple[str, str, str, str, int | str], Difference]:
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    rows = differences(inputs, job.cfg.report)
    return {(row.policy, row.against, row.measure, row.decoding, row.seed): row for row in rows}


def test_pairs_hold_each_policy_to_its_baselines() -> None:
    names = ["base", "sft", "sft-gold", "grpo-continuous", "grpo-discrete"]
    assert pairs(names) == [
        ("grpo-continuous", "base"),
        ("grpo-continuous", "sft"),
        ("grpo-continuous", "grpo-discrete"),
        ("grpo-continuous", "sft-gold"),
        ("grpo-discrete", "base"),
        ("grpo-discrete", "sft"),
        ("sft", "base"),
        ("sft-gold", "base"),
    ]
    assert pairs(["base", "grpo-mine"]) == [("grpo-mine", "base")]


def test_pairs_of_a_variant_are_within_it_and_with_what_it_varies() -> None:
    names = ["base", "grpo-continuous", "grpo-continuous@kl", "grpo-discrete@kl"]
    assert pairs(names)[1:] == [
        ("grpo-continuous@kl", "base"),
        ("grpo-continuous@kl", "grpo-discrete@kl"),
        ("grpo-discrete@kl", "base"),
        ("grpo-continuous@kl", "grpo-continuous"),
    ]
    assert pairs(["base@votes", "grpo-continuous@votes"]) == [("grpo-continuous@votes", "base@votes")]


def test_greedy_difference_with_exact_test(job: Job) -> None:
    row = found(job)["grpo-continuous", "base", "resolved", "greedy", 0]
    assert (row.split, row.n, row.rate, row.rate_against, row.value) == ("gate", 8, 0.75, 0.25, 0.5)
    assert (row.only_policy, row.only_against, row.p) == (4, 0, 2 / 16)
    assert row.interval and row.interval[0] > 0
    assert row.sign == 0, "the interval excludes zero, the exact test does not reject"


def test_sampled_difference_is_of_instance_means(job: Job) -> None:
    row = found(job)["grpo-continuous", "base", "resolved", "sample", 0]
    assert (row.n, row.rate, row.rate_against, row.p) == (8, 6 / 16, 2 / 16, None)
    assert row.sign == 1


def test_format_difference_without_any_spread_has_no_interval(job: Job) -> None:
    row = found(job)["grpo-continuous", "grpo-discrete", "format", "greedy", 0]
    assert (row.value, row.interval, row.p, row.sign) == (0, None, 1.0, 0)


def test_several_seeds_are_averaged_instance_by_instance(
    tmp_path: Path, inputs: dict[str, Path], make_job: Callable[..., Job]
) -> None:
    folders = dict(inputs)
    for name in [name for name in folders if name.endswith("seed0")]:
        twin = tmp_path / "inputs" / name.replace("seed0", "seed1")
        twin.symlink_to(folders[name])
        folders[twin.name] = twin
    failed = {"status": "unresolved", "cause": "not_fixed"}
    rows_of_base = read_jsonl(folders["evaluate-base-seed0"] / "outcomes.jsonl")
    folders["evaluate-base-seed1"] = tmp_path / "other"
    write_json(tmp_path / "other" / "result.json", {"digest": "x", "sandbox": "bubblewrap"})
    rows_of_base = [row | failed if row["status"] == "resolved" else row for row in rows_of_base]
    write_jsonl(tmp_path / "other" / "outcomes.jsonl", rows_of_base)
    rows = found(make_job(tmp_path / "results", folders, "grid.seed=[0,1]"))
    values = [rows["grpo-continuous", "base", "resolved", "greedy", seed].value for seed in (0, 1, "all")]
    assert values == pytest.approx([0.5, 0.75, 0.625])
    assert rows["grpo-continuous", "base", "resolved", "greedy", "all"].p is None


def test_only_instances_judged_for_both_are_compared(job: Job, edit_lines: Callable[..., None]) -> None:
    """Gate instances 0 and 1 of base were lost; of the other six it resolves none, the GRPO policy four."""
    lost = {"status": "error", "reason": "rate_limit", "cause": "unanswered", "format_ok": False}
    edit_lines(
        job.inputs["evaluate-base-seed0"] / "outcomes.jsonl",
        lambda rows: [row | lost if row["instance_id"] in ("gate-0", "gate-1") else row for row in rows],
    )
    row = found(job)["grpo-continuous", "base", "resolved", "greedy", 0]
    assert (row.n, row.rate, row.rate_against) == (6, pytest.approx(4 / 6), 0)
    assert (row.only_policy, row.only_against, row.p) == (4, 0, 2 / 16)


def test_choices_of_agentless_mini_are_compared_between_and_within_policies(mini_job: Callable[[], Job]) -> None:
    """Of the seven judged instances, the GRPO policy resolves five and base one; fewer stages resolve one less."""
    job = mini_job()
    row = found(job)["grpo-continuous", "base", "resolved", "mini", 0]
    assert (row.n, row.rate, row.rate_against, row.p) == (7, 5 / 7, 1 / 7, 2 / 16)
    inputs = gather(job.inputs, job.cfg.grid, job.cfg.report.splits)
    rows = {(row.policy, row.against): row for row in ablation(inputs, job.cfg.report)}
    less = rows["grpo-continuous", "mini-majority"]
    assert (less.n, less.rate, less.rate_against) == (7, 5 / 7, 4 / 7)
    assert (less.only_policy, less.only_against, less.p) == (1, 0, 1.0)
    assert len(rows) == 5 * 3
    assert {row.measure for row in found(job).values() if row.decoding == "mini"} == {"resolved"}
