"""GRPO on samples of a server that never receives the weights: the small server of the laptop's model."""

import math

import pytest
import torch

from grpo_runs import Runs
from openai_server import served
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.grpo.advantages import group_advantages
from openswerl.grpo.log import Log
from openswerl.grpo.rollouts import prompt_of
from openswerl.grpo.trainer import Trainer
from openswerl.models.checkpoint import encode, load_trainable
from openswerl.reward import Score, open_rewards
from openswerl.tracking.mirror import Mirror

OFF = ("rollout.off_policy=true", "serving.cache=false")


@pytest.fixture(scope="module")
def server():
    with served() as server:
        yield server


@pytest.fixture
def trainer_of(config, server, tmp_path):
    """Make trainers on the server's samples, whose connections end with the test."""
    made = []

    def make(*overrides, noise=0.0):
        cfg = config(*server.overrides(), *OFF, *overrides)
        policy, tokenizer = load_trainable(cfg.model)
        generator = torch.Generator().manual_seed(3)
        with torch.no_grad():
            for weights in policy.parameters():
                weights.add_(noise * torch.randn(weights.shape, generator=generator))
        made.append(Trainer(cfg, policy, tokenizer, tmp_path / str(len(made))))
        return made[-1]

    yield make
    for trainer in made:
        trainer.sampler.close()


class ByLength:
    """Scores every answer by its length."""

    def score_many(self, calls):
        return [Score(len(call.output) / 1000) for call in calls]


def plain_update(trainer, drawn, cap):
    """One plain pass per sample with weights min(exp(policy - sampler), cap) by hand; returns loss and norm."""
    advantages, _ = group_advantages(drawn.table)
    total, count = 0.0, drawn.table.numel()
    for group, gains in zip(drawn.groups, advantages.tolist(), strict=True):
        prompt = encode(trainer.tokenizer, prompt_of(group.place.instance, trainer.cfg), 400)
        for sample, gain in zip(group.completions, gains, strict=True):
            ids = sample.token_ids
            logits = trainer.policy(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
            logprobs = logits.log_softmax(-1)[range(len(ids)), ids]
            weights = [
                min(math.exp(now - then), cap) for now, then in zip(logprobs.tolist(), sample.logprobs, strict=True)
            ]
            ratio = (logprobs - logprobs.detach()).exp()
            total = total - (torch.tensor(weights) * ratio * gain).mean() / count
    total.backward()
    squares = [p.grad.square().sum() for p in trainer.policy.parameters() if p.grad is not None]
    norm = torch.stack(squares).sum().sqrt().item()
    trainer.policy.zero_grad()
    return total.item(), norm


def test_a_server_of_the_same_weights_is_on_policy(trainer_of, tasks, capsys):
    trainer = trainer_of()
    assert capsys.readouterr().err.count("grpo: warning: off-policy") == 1
    metrics = trainer._update(trainer._draw(tasks, ByLength()))
    assert 0 <= metrics["sampler_gap"] <= metrics["sampler_gap_max"] < 1e-3
    assert metrics["sampler_far"] == 0 and metrics["grad_norm"] > 0


def test_samples_are_those_of_the_policy_itself(trainer_of, config, tasks, tmp_path):
    """Same prompts, weights and seeds: greedy, the server writes what the local sampler writes, token for token."""
    own = Trainer(config(), *load_trainable(config().model), tmp_path / "own")
    prompts = [prompt_of(task, own.cfg) for task in tasks[:3]]
    asked = {"samples": 1, "temperature": 0.0, "seeds": [1, 2, 3]}
    here, there = (trainer.sampler.generate(prompts, **asked) for trainer in (own, trainer_of()))
    assert [one.token_ids for (one,) in here] == [one.token_ids for (one,) in there]
    assert [one.version for (one,) in there] == [None] * 3


def test_the_mismatch_with_other_weights_shows(trainer_of, tasks):
    trainer = trainer_of(noise=0.02)
    metrics = trainer._update(trainer._draw(tasks, ByLength()))
    assert metrics["sampler_gap"] > 0.01 and metrics["sampler_gap_max"] > 3 * metrics["sampler_gap"]


@pytest.mark.parametrize("cap", [1.1, 2.0])
def test_importance_weights_correct_the_update(trainer_of, tasks, cap):
    trainer = trainer_of("rollout.stale=correct", f"rollout.correction_cap={cap}", noise=0.02)
    drawn = trainer._draw(tasks, ByLength())
    loss, norm = plain_update(trainer, drawn, cap)
    uncorrected, _ = plain_update(trainer, drawn, 0.0)
    metrics = trainer._update(drawn)
    assert metrics["loss"] == pytest.approx(loss, rel=1e-3, abs=1e-6)
    assert metrics["grad_norm"] == pytest.approx(norm, rel=1e-3)
    assert uncorrected == 0


def test_two_steps_and_their_metrics(trainer_of, tasks, tmp_path):
    trainer = trainer_of("grpo.optimiser.lr=1e-2", "grpo.optimiser.warmup_steps=0")
    mirror = Mirror()
    with open_rewards(trainer.cfg.reward, trainer.cfg.edits) as rewards:
        trainer.train(tasks, rewards, Log(trainer.cfg, tmp_path, tasks, mirror))
    first, second = read_jsonl(tmp_path / "metrics.jsonl")
    assert first["sampler_gap"] < 1e-4 < 1e-3 < second["sampler_gap"]  # the server stays where it was
    assert first["unanswered_rate"] == second["unanswered_rate"] == 0
    assert len(read_jsonl(tmp_path / "rollouts.jsonl")) == 24


def test_steps_without_an_answer_stop_the_run_and_count_for_nothing(trainer_of, tasks, tmp_path, capsys):
    """The model's context has no room for such an answer, so that every request is refused."""
    endless = ("model.max_response_tokens=100000", "grpo.alarms.unanswered_steps=2", "grpo.steps=5")
    trainer = trainer_of(*endless, "grpo.checkpoint_every=1")
    mirror = Mirror()
    before = torch.cat([p.detach().flatten() for p in trainer.policy.parameters()])
    with open_rewards(trainer.cfg.reward, trainer.cfg.edits) as rewards, pytest.raises(UserError) as raised:
        trainer.train(tasks, rewards, Log(trainer.cfg, tmp_path, tasks, mirror))
    assert str(raised.value) == (
        "2 steps in a row up to step 2 had no answer at all from the sampler, for the reasons that alarm unanswered "
        "names; mend them and run again: the run goes on from its last checkpoint"
    )
    assert torch.equal(torch.cat([p.detach().flatten() for p in trainer.policy.parameters()]), before)
    assert not list(trainer.checkpoints.glob("step*"))
    rows = read_jsonl(tmp_path / "rollouts.jsonl")
    assert {(row["reward"], row["reason"]) for row in rows} == {(None, "context_length")} and len(rows) == 24
    row = read_jsonl(tmp_path / "metrics.jsonl")[0]
    assert (row["unanswered_rate"], row["masked_rate"], row["reasons"]) == (1, 1, {"context_length": 12})
    assert "alarm unanswered at step 1: no sample was answered ({'context_length': 12})" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (("rollout.off_policy=false",), "rollout=openai never receives the weights that grpo trains"),
        (("rollout.backend=replay",), "grpo cannot train on rollout.backend=replay, which is no policy"),
    ],
)
def test_what_is_no_policy_is_refused_in_one_line(trainer_of, overrides, message):
    with pytest.raises(UserError, match=f"^{message}") as raised:
        trainer_of(*overrides)
    assert "\n" not in str(raised.value)


def test_a_server_with_another_tokenizer_is_refused(config, server, tmp_path):
    cfg = config(*server.overrides(), *OFF)
    policy, tokenizer = load_trainable(cfg.model)
    tokenizer.add_tokens(["    return"])
    with pytest.raises(UserError, match=r"reads .* as other tokens than the policy's tokenizer"):
        Trainer(cfg, policy, tokenizer, tmp_path)


@pytest.mark.slow
def test_two_processes_ask_one_server_for_the_samples_of_one(server, tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("runs"))
    overrides = (*server.overrides(), *OFF, "grpo.prompts_per_step=5", "grpo.steps=2", "rollout.stale=correct")
    alone, both = runs.new("alone", *overrides), runs.new("both", *overrides, processes=2)
    before = len(server.requests())
    assert "off-policy" in alone.finish()
    between = len(server.requests())
    assert both.finish().count("grpo: warning: off-policy") == 1
    ours, theirs = (read_jsonl(run.out / "metrics.jsonl") for run in (both, alone))
    assert ours[0]["sampler_gap"] < 1e-4 and theirs[0]["sampler_gap"] < 1e-4
    for name in ("loss", "grad_norm", "entropy"):
        assert ours[0][name] == pytest.approx(theirs[0][name], rel=1e-3, abs=1e-5), name
    outputs = [
        [row["output"] for row in read_jsonl(run.out / "rollouts.jsonl") if row["step"] == 0] for run in (both, alone)
    ]
    assert outputs[0] == outputs[1]
    probes = 3  # that compare tokenizers, of each process
    assert len(server.requests()) - between == between - before + probes
