"""The files of a run: what is in them, and that a resumed run writes the same."""

import json

import pytest

from openswerl.files import read_jsonl
from openswerl.grpo.log import Log, clock_time, speeds
from openswerl.grpo.plots import SHOWN, shown
from openswerl.grpo.rollouts import Rollout
from openswerl.tracking.mirror import Mirror
from openswerl.tracking.replay import replay

UPDATED = {
    "loss": 0.1, "kl": None, "entropy": 0.4, "grad_norm": 2.0, "nonfinite": 0, "lr": 1e-3,
    "zero_variance": 0.5, "forwarded_tokens": 900,
}  # fmt: skip
SECONDS = {"generate": 2.0, "score": 0.5, "forward": 1.0, "backward": 3.0}
EQUAL = ("metrics.jsonl", "rollouts.jsonl", "samples.jsonl", "alarms.jsonl")


def rows(step, instance):
    return [
        Rollout(
            step, instance.instance_id, i, (i - step) / 10, None if i else "missing_tag", {}, [], 10 * i, f"answer {i}"
        )
        for i in range(12)
    ]


@pytest.fixture
def opened(tmp_path, config, instance):
    cfg = config("grpo.steps=5", "grpo.plot_every=2", "grpo.alarms.patience=2")
    silent = Mirror()
    return lambda name, from_step=0, mirror=silent: Log(cfg, tmp_path / name, [instance], mirror, from_step=from_step)


@pytest.fixture
def resampling(tmp_path, config, instance):
    cfg = config("grpo.zero_variance=resample")
    return Log(cfg, tmp_path / "a", [instance], Mirror())


class Heard:
    """A mirror that keeps what it is told."""

    def __init__(self):
        self.said = []
        for kind in ("log", "picture", "table", "alert"):
            setattr(self, kind, lambda *told, kind=kind: self.said.append((kind, *told)))


def write(log, steps, instance):
    for step in steps:
        log.step(step, rows(step, instance), UPDATED, SECONDS)


def test_a_run_leaves_its_files(opened, instance, tmp_path, capsys):
    write(opened("a"), range(5), instance)
    metrics = read_jsonl(tmp_path / "a" / "metrics.jsonl")
    assert [row["step"] for row in metrics] == [0, 1, 2, 3, 4]
    assert metrics[1] | UPDATED == metrics[1] and metrics[1]["reward_mean"] == pytest.approx(0.45)
    assert len(read_jsonl(tmp_path / "a" / "rollouts.jsonl")) == 60
    plots = sorted(path.name for path in (tmp_path / "a" / "plots").iterdir())
    assert plots == ["rewards-000002.png", "rewards-000004.png", "rewards-000005.png"]
    assert (tmp_path / "a" / "plots" / plots[0]).read_bytes().startswith(b"\x89PNG")
    assert {row["step"] for row in read_jsonl(tmp_path / "a" / "samples.jsonl")} == {1, 3, 4}
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and lines[0].startswith("grpo 1/5 reward +0.550 ") and " s a step, 0:00:0" in lines[0]
    assert "entropy 0.4000 tokens" in lines[0]  # no reference, no kl


def test_prompts_as_first_drawn_are_measured_and_the_chosen_ones_apart(resampling, instance, tmp_path):
    def group(place, attempt, reward, reason=None):
        return [Rollout(0, instance.instance_id, i, reward, reason, {}, [], 4, "x", place, attempt) for i in range(2)]

    drawn = [*group(0, 0, 0.5), *group(1, 0, -1.0, "missing_tag"), *group(1, 1, -1.0, "missing_tag"), *group(1, 2, 1.0)]
    resampling.step(0, drawn, UPDATED, SECONDS)
    (metrics,) = read_jsonl(tmp_path / "a" / "metrics.jsonl")
    assert (metrics["reward_mean"], metrics["format_rate"]) == (-0.25, 0.5)
    assert metrics["selected"] == {"reward_mean": 0.75, "reward_std": 0.25, "format_rate": 1.0, "exact_rate": 0.5}
    rows = read_jsonl(tmp_path / "a" / "rollouts.jsonl")
    assert [(row["place"], row["attempt"]) for row in rows[::2]] == [(0, 0), (1, 0), (1, 1), (1, 2)]
    (timings,) = read_jsonl(tmp_path / "a" / "timings.jsonl")
    assert timings["tokens_per_s"]["generate"] == 8 * 4 / SECONDS["generate"]


def test_the_mirror_is_fed_again_what_was_recorded(opened, instance):
    """Rows, plots, samples and alarms of the steps before the kill, in order, as they went the first time."""
    first, again = Heard(), Heard()
    log = opened("a", mirror=first)
    write(log, range(2), instance)
    log.step(2, rows(2, instance), UPDATED | {"nonfinite": 1}, SECONDS)
    replay(log.folder, again)
    assert again.said == first.said
    assert [kind for kind, *_ in first.said] == ["log", "log", "picture", "table", "log", "alert"]
    assert first.said[-1][1:3] == (2, "nonfinite")


def test_timings_are_kept_apart(opened, instance, tmp_path):
    write(opened("a"), range(1), instance)
    (row,) = read_jsonl(tmp_path / "a" / "timings.jsonl")
    tokens = sum(10 * i for i in range(12))
    assert row["tokens_per_s"] == {"generate": tokens / 2, "score": tokens / 0.5, "forward": 900, "backward": 300}
    assert row["seconds"] == SECONDS and row["memory_mb"] > 10
    assert (
        not {"seconds", "memory_mb", "tokens_per_s"} & json.loads((tmp_path / "a" / "metrics.jsonl").read_text()).keys()
    )


def test_a_resumed_run_writes_the_same_bytes(opened, instance, tmp_path):
    write(opened("whole"), range(5), instance)
    write(opened("killed"), range(4), instance)  # beyond its last checkpoint, which is that of step 3
    with (tmp_path / "killed" / "rollouts.jsonl").open("a") as file:
        file.write('{"step": 4, "torn')
    write(opened("killed", from_step=3), range(3, 5), instance)
    for name in (*EQUAL, "plots/rewards-000004.png", "plots/rewards-000005.png"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_shown_samples_go_from_the_lowest_reward_to_the_highest(instance):
    picked = shown(
        [*rows(0, instance), Rollout(0, instance.instance_id, 12, None, "timeout", {}, [], 1, "")],
        {instance.instance_id: instance},
    )
    rewards = [row["reward"] for row in picked]
    assert len(picked) == SHOWN and rewards[0] is None and rewards[1:] == sorted(rewards[1:])
    assert rewards[-1] == 1.1 and picked[0]["issue"] == "f is wrong"


def test_fewer_samples_than_shown_come_once(instance):
    assert [row["sample"] for row in shown(rows(0, instance)[:3], {instance.instance_id: instance})] == [0, 1, 2]


def test_a_phase_that_did_not_run_has_no_speed():
    assert speeds(6, 0, {"generate": 2.0}) == {"generate": 3.0}


def test_durations():
    assert [clock_time(s) for s in (0.4, 59.6, 3661)] == ["0:00:00", "0:01:00", "1:01:01"]
