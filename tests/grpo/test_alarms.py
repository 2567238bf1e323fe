"""Every alarm sounds on its own state, after as many steps as it must last, and names what to do."""

import pytest
from omegaconf import OmegaConf

from openswerl.files import read_jsonl
from openswerl.grpo.alarms import STATES, Recorder

LIMITS = OmegaConf.create(
    {
        "patience": 3,
        "nonfinite_steps": 2,
        "max_kl": 1.0,
        "min_entropy": 0.02,
        "max_sampler_gap": 0.05,
        "max_truncated": 0.5,
    }
)
HEALTHY = {
    "format_rate": 0.6, "reward_mean": 0.2, "reward_std": 0.5, "zero_variance": 0.25, "unfinished_rate": 0.1,
    "kl": 0.03, "entropy": 0.4, "sampler_gap": 1e-6, "nonfinite": 0, "reasons": {"missing_tag": 3},
    "unanswered_rate": 0.1,
}  # fmt: skip
SICK = {
    "no_format": ({"format_rate": 0.0, "reward_mean": -1.0, "reward_std": 0.0, "zero_variance": 1.0}, "missing_tag"),
    "flat_reward": ({"reward_std": 0.0, "zero_variance": 1.0, "reward_mean": 1.0}, "all rewards are 1"),
    "no_signal": ({"zero_variance": 1.0}, "grpo.zero_variance=resample"),
    "nonfinite": ({"nonfinite": 1, "kl": float("nan"), "entropy": float("nan")}, "grpo.optimiser.lr"),
    "kl": ({"kl": 1.5}, "1.5 nats per token"),
    "entropy": ({"entropy": 0.001}, "0.001 nats per token"),
    "sampler_gap": ({"sampler_gap": 0.3}, "0.3 nats per token"),
    "unanswered": ({"unanswered_rate": 1.0, "reasons": {"too_slow": 12}}, "'too_slow': 12"),
    "truncated": ({"unfinished_rate": 0.75}, "75% of the answers hit model.max_response_tokens"),
}


@pytest.fixture
def recorder(tmp_path):
    return Recorder(LIMITS, tmp_path / "alarms.jsonl")


def rows(*changes, first=0):
    return [{"step": first + i, **HEALTHY, **change} for i, change in enumerate(changes)]


def test_there_is_a_case_for_every_state():
    assert SICK.keys() == STATES.keys()


def test_a_healthy_run_is_silent(recorder, capsys):
    assert [recorder.watch(row) for row in rows(*[{}] * 20)] == [{}] * 20
    assert read_jsonl(recorder.journal.path) == [] and capsys.readouterr().err == ""


@pytest.mark.parametrize("name", SICK)
def test_an_alarm_sounds_once_and_names_the_cause(recorder, capsys, name):
    change, cause = SICK[name]
    raised = [list(recorder.watch(row)) for row in rows({}, *[change] * 6)]
    first = 1 if STATES[name].at_once else 3
    assert raised == [[]] * first + [[name]] + [[]] * (6 - first)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"grpo: alarm {name} at step {first + 1}: ") and cause in line
    (row,) = read_jsonl(recorder.journal.path)
    assert (row["alarm"], row["step"]) == (name, first) and cause in row["message"]


def test_an_interrupted_state_starts_to_count_anew_and_can_sound_again(recorder):
    sick = SICK["entropy"][0]
    raised = [recorder.watch(row) for row in rows(sick, sick, {}, sick, sick, sick, {}, sick, sick, sick)]
    assert [i for i, names in enumerate(raised) if names] == [5, 9]


def test_a_resumed_recorder_goes_on_counting(tmp_path):
    sick = SICK["no_signal"][0]
    whole = Recorder(LIMITS, tmp_path / "whole.jsonl")
    everything = rows(*[SICK["kl"][0]], *[sick] * 4)
    for row in everything:
        whole.watch(row)
    killed = Recorder(LIMITS, tmp_path / "killed.jsonl")
    for row in everything[:4]:
        killed.watch(row)
    resumed = Recorder(LIMITS, tmp_path / "killed.jsonl", everything[:2], from_step=2)
    for row in everything[2:]:
        resumed.watch(row)
    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes() != b""


def test_rows_read_back_from_disk_may_hold_null(recorder):
    (row,) = rows({"kl": None, "entropy": None, "reward_std": None, "reward_mean": None})
    assert recorder.watch(row) == {}
