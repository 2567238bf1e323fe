"""Steps of a real run on the laptop model: the update against a second computation, and each choice of conf/grpo."""

import json
import math

import pytest
import torch

from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.grpo.advantages import group_advantages
from openswerl.grpo.log import Log
from openswerl.grpo.rollouts import Group, Place, reward_table
from openswerl.grpo.trainer import Drawn, Trainer
from openswerl.models.checkpoint import base_checkpoint, encode, load_policy, load_trainable
from openswerl.models.prompts import prompt_of
from openswerl.reward import Score, open_rewards
from openswerl.rollout import Completion
from openswerl.tracking.mirror import Mirror

ANSWERS = ([40, 41, 42, 43], [44, 45], [46], [47, 48, 49])


def trainer_of(cfg, folder):
    return Trainer(cfg, *load_trainable(cfg.model), folder)


def drawn(tasks, rewards):
    """Fixed answers; rewards [prompts][samples], None for a masked one."""
    groups = [
        Group(
            Place(i, tasks[i]),
            [Completion("", list(ids), True, None) for ids, _ in zip(ANSWERS, row, strict=True)],
            [Score(reward, None if reward is not None else "timeout") for reward in row],
        )
        for i, row in enumerate(rewards)
    ]
    return Drawn(groups, reward_table([group.rewards for group in groups]), {})


def naive_gradient(cfg, batch):
    """Eq. 2 on the samples' own policy: one plain forward pass per sample; returns the loss and the gradient's norm."""
    policy, tokenizer = load_policy(cfg.model, base_checkpoint(cfg.model))
    advantages, _ = group_advantages(batch.table)
    total, count = 0.0, batch.table.numel()
    for group, gains in zip(batch.groups, advantages.tolist(), strict=True):
        prompt = encode(tokenizer, prompt_of(group.place.instance, cfg), 400)
        for completion, score, gain in zip(group.completions, group.scores, gains, strict=True):
            if score.reward is None:
                continue
            ids = completion.token_ids
            logits = policy(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
            logprobs = logits.log_softmax(-1)[range(len(ids)), ids]
            total = total - ((logprobs - logprobs.detach()).exp() * gain).mean() / count
    total.backward()
    squares = [p.grad.square().sum() for p in policy.parameters() if p.grad is not None]
    return total.item(), torch.stack(squares).sum().sqrt().item()


REWARDS = [[1.0, -1.0, 0.5, 0.0], [0.2, 0.2, 0.2, 0.2], [0.9, None, 0.1, -1.0]]


@pytest.mark.parametrize("groups", [8, 1])
def test_an_update_has_the_gradient_of_plain_passes(config, tasks, tmp_path, groups):
    cfg = config(f"grpo.micro_batch_groups={groups}")
    batch = drawn(tasks, REWARDS)
    metrics = trainer_of(cfg, tmp_path)._update(batch)
    loss, norm = naive_gradient(cfg, batch)
    assert metrics["grad_norm"] == pytest.approx(norm, rel=1e-4)
    assert metrics["loss"] == pytest.approx(loss, abs=1e-6)
    assert metrics["ratio"] == pytest.approx(1) and metrics["clipped_low"] == metrics["clipped_high"] == 0
    assert 0 < metrics["entropy"] < math.log(1004)


def weights(trainer):
    return torch.cat([p.detach().flatten() for p in trainer.policy.parameters()])


def test_without_a_signal_nothing_changes(config, tasks, tmp_path):
    trainer = trainer_of(config(), tmp_path)
    before = weights(trainer)
    metrics = trainer._update(drawn(tasks, [[0.2] * 4, [None, None, 1.0, None], [-1.0] * 4]))
    assert torch.equal(weights(trainer), before)
    assert (metrics["grad_norm"], metrics["loss"], metrics["entropy"], metrics["kl"]) == (0, 0, None, None)


def test_more_iterations_leave_the_old_policy_and_clip(config, tasks, tmp_path):
    cfg = config("grpo.iterations=3", "grpo.clip_low=0.01", "grpo.clip_high=0.01", "grpo.optimiser.warmup_steps=0")
    trainer = trainer_of(cfg, tmp_path)
    metrics = trainer._update(drawn(tasks, REWARDS))
    assert metrics["ratio"] != pytest.approx(1, abs=1e-3)
    assert metrics["clipped_low"] > 0 and metrics["clipped_high"] > 0


def test_the_gap_to_the_sampler_is_that_of_the_first_iteration(config, tasks, tmp_path):
    """Later iterations differ from the sampler by the update too, which is no fault of the sampler."""
    steep = ("grpo.optimiser.lr=1e-2", "grpo.optimiser.warmup_steps=0")
    gaps = []
    for iterations in (1, 3):
        trainer = trainer_of(config(*steep, f"grpo.iterations={iterations}"), tmp_path / str(iterations))
        found = trainer._draw(tasks, ByLength())
        gaps.append(trainer._update(found)["sampler_gap"])
    assert gaps[0] == gaps[1] < 1e-5


def test_without_a_reference_there_is_no_kl(config, tasks, tmp_path):
    assert trainer_of(config(), tmp_path)._update(drawn(tasks, REWARDS))["kl"] is None


def test_the_reference_stays_where_the_run_began(config, tasks, tmp_path):
    trainer = trainer_of(config("grpo.kl_coefficient=0.1", "grpo.optimiser.lr=1e-5"), tmp_path)
    kl = [trainer._update(drawn(tasks, REWARDS))["kl"] for _ in range(3)]
    assert kl[0] == pytest.approx(0, abs=1e-6) and 1e-4 < kl[1] < kl[2]


def test_the_kl_term_alone_pulls_back(config, tasks, tmp_path):
    trainer = trainer_of(config("grpo.kl_coefficient=1.0", "grpo.optimiser.lr=1e-5"), tmp_path)
    trainer._update(drawn(tasks, REWARDS))
    alike = drawn(tasks, [[0.5] * 4] * 3)  # no advantage: nothing but the KL term
    kl = [trainer._update(alike)["kl"] for _ in range(8)]
    assert kl[-1] < kl[0] / 2


@pytest.mark.parametrize("stage", [0, 2])
def test_an_update_that_is_not_finite_is_left_out_and_the_run_stops(config, tasks, tmp_path, monkeypatch, stage):
    cfg = config("grpo.alarms.nonfinite_steps=2", "grpo.advantage_scaling=none", f"grpo.optimiser.zero_stage={stage}")
    trainer = trainer_of(cfg, tmp_path)
    before = weights(trainer)
    spoilt = drawn(tasks, [[1e39, 1.0, 0.0, 0.0], *REWARDS[1:]])  # no single-precision number is that large
    monkeypatch.setattr(trainer, "_draw", lambda *_: spoilt)
    with pytest.raises(UserError, match="2 steps in a row up to step 2 had no finite loss and gradient"):
        trainer.train(tasks, None, None)
    assert torch.equal(weights(trainer), before)
    assert not list((tmp_path / "checkpoints").glob("step*"))
    assert trainer._update(drawn(tasks, REWARDS))["nonfinite"] == 0  # and it can go on


class ByLength:
    """Scores every answer by its length."""

    def score_many(self, calls):
        return [Score(len(call.output) / 1000) for call in calls]


class Alike:
    """Scores every answer of the first prompts alike, and those of later ones by their length."""

    def __init__(self, calls):
        self.calls = calls

    def score_many(self, calls):
        self.calls -= 1
        return [Score(0.5 if self.calls >= 0 else len(call.output) / 1000) for call in calls]


@pytest.mark.parametrize(("alike", "resampled", "kept"), [(0, 0, 0.0), (1, 3, 0.0), (9, 6, 1.0)])
def test_prompts_without_a_signal_are_replaced_a_bounded_number_of_times(
    config, tasks, tmp_path, alike, resampled, kept
):
    trainer = trainer_of(
        config("grpo.zero_variance=resample", "grpo.resample_rounds=2", "grpo.truncated_reward=0.5"), tmp_path
    )
    drawn_groups = trainer._draw(tasks, Alike(alike))
    counts = drawn_groups.counts
    assert (counts["resampled"], counts["zero_variance_kept"]) == (resampled, kept)
    assert [group.place.number for group in drawn_groups.groups] == [0, 1, 2]


def test_replaced_groups_are_recorded_and_not_trained_on(config, tasks, tmp_path):
    cfg = config("grpo.zero_variance=resample", "grpo.resample_rounds=2", "grpo.truncated_reward=0.5")
    found = trainer_of(cfg, tmp_path)._draw(tasks, Alike(1))
    rows = found.rows(0)
    assert [(row.attempt, row.place) for row in rows[::4]] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert {row.reward for row in rows[:12]} == {0.5}
    assert [group.place.attempt for group in found.groups] == [1, 1, 1]


@pytest.mark.parametrize(
    ("override", "choices"),
    [
        ("grpo.zero_variance=drop", "keep or resample"),
        ("grpo.truncated=drop", "penalise or mask"),
        ("rollout.backend=vlm", "local, vllm, openai or replay"),
        ("tracking.wandb=of", "offline, online or disabled"),
    ],
)
def test_an_unknown_name_is_refused_before_any_work(config, override, choices):
    with pytest.raises(UserError, match=rf"{override} is unknown: choose {choices}"):
        config(override)


def test_two_steps_and_their_files(config, tasks, tmp_path):
    cfg = config()
    trainer = trainer_of(cfg, tmp_path)
    mirror = Mirror()
    with open_rewards(cfg.reward, cfg.edits) as rewards:
        trainer.train(tasks, rewards, Log(cfg, tmp_path, tasks, mirror))
    first, second = read_jsonl(tmp_path / "metrics.jsonl")
    rows = read_jsonl(tmp_path / "rollouts.jsonl")
    assert (first["step"], second["step"], len(rows)) == (0, 1, 24)
    assert first["sampler_gap"] < 1e-5  # sampler and trainer agree on what was sampled
    assert first["lr"] == pytest.approx(1e-4) and second["lr"] == pytest.approx(2e-4 * (1 - 0.9 / 2))
    assert sum(row["tokens"] for row in rows[:12]) / 12 == first["response_tokens"]
    assert trainer.step == 2 and {path.name for path in (tmp_path / "checkpoints").iterdir()} >= {"step2"}


@pytest.mark.parametrize("stage", [0, 2])
def test_adapters_alone_are_trained_and_the_base_is_the_reference(config, tasks, tmp_path, stage):
    cfg = config(
        "model.lora.rank=4", "grpo.kl_coefficient=0.1", "grpo.optimiser.lr=1e-3", f"grpo.optimiser.zero_stage={stage}"
    )
    trainer = trainer_of(cfg, tmp_path)
    before = {name: p.detach().clone() for name, p in trainer.policy.named_parameters()}
    kl = [trainer._update(drawn(tasks, REWARDS))["kl"] for _ in range(3)]
    changed = {name for name, p in trainer.policy.named_parameters() if not torch.equal(p, before[name])}
    assert changed and all("lora_" in name for name in changed)
    assert kl[0] == pytest.approx(0, abs=1e-6) and 0 < kl[1] < kl[2]


def test_answers_are_recorded_for_replay_if_told_to(config, tasks, tmp_path):
    cfg = config("serving.record=true", f"serving.folder={tmp_path / 'responses'}")
    trainer = trainer_of(cfg, tmp_path / "run")
    drawn = trainer._draw(tasks, ByLength())
    trainer.sampler.close()
    lines = (tmp_path / "responses" / "record.jsonl").read_text().splitlines()
    texts = [json.loads(line)["completion"]["text"] for line in lines]
    assert sorted(texts) == sorted(one.text for group in drawn.groups for one in group.completions)
