"""Training steps against a plain loop over single documents, and resuming."""

import copy
import json

import pytest
import torch

from openswerl.errors import UserError
from openswerl.models.engine import Engine, learning_rate
from openswerl.models.packing import Tree
from openswerl.sft.probe import Probe
from openswerl.sft.rows import fill_rows
from openswerl.sft.trainer import Documents, Trainer

SIZES = [(3, 4), (6, 2), (2, 7), (5, 5), (8, 3), (4, 1)]


def document(number, prompt, answer):
    tokens = torch.randint(2, 60, (prompt + answer,), generator=torch.Generator().manual_seed(number)).tolist()
    return Tree(tokens[:prompt], [tokens[prompt:]])


DOCUMENTS = Documents(
    [document(i, *sizes) for i, sizes in enumerate(SIZES)], (), [document(9, 3, 4), document(10, 20, 9)]
)


@pytest.fixture
def cfg(settings):
    return settings(
        "sft.steps=4", "sft.rows_per_step=2", "sft.row_tokens=30", "sft.evaluate_every=3", "sft.checkpoint_every=2"
    )


def trainer(cfg, policy, folder):
    engine = Engine.start(policy, cfg.sft.optimiser)
    return Trainer(cfg, engine, DOCUMENTS, Probe(cfg, engine, None, []), folder)


def document_losses(policy, documents):
    """The cross-entropy of every answer token, documents one by one in a plain forward pass."""
    losses = []
    for one in documents:
        row = torch.tensor([one.prompt + one.branches[0]])
        logprobs = torch.log_softmax(policy(row).logits[0], -1)
        places = torch.arange(len(one.prompt) - 1, row.shape[1] - 1)
        losses.append(-logprobs[places, row[0, len(one.prompt) :]])
    return torch.cat(losses)


def test_steps_equal_a_plain_loop(cfg, tiny_policy, tmp_path):
    plain = copy.deepcopy(tiny_policy).train()
    optimiser = torch.optim.AdamW(plain.parameters(), betas=tuple(cfg.sft.optimiser.betas), weight_decay=0.0)
    rows = fill_rows(DOCUMENTS.own, [], rows=8, row_tokens=30, share=0.0, seed=cfg.seed)
    expected = []
    for step in range(4):
        loss = document_losses(plain, [one for row in rows[2 * step : 2 * step + 2] for one in row]).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(plain.parameters(), cfg.sft.optimiser.max_grad_norm)
        optimiser.param_groups[0]["lr"] = learning_rate(step, 4, cfg.sft.optimiser)
        optimiser.step()
        optimiser.zero_grad()
        expected.append((loss.item(), norm.item()))
    held_out = document_losses(plain, DOCUMENTS.held_out).mean().item()
    run = trainer(cfg, tiny_policy, tmp_path)
    metrics = run.train()
    assert [(row["loss"], row["grad_norm"]) for row in metrics] == [pytest.approx(pair, rel=1e-4) for pair in expected]
    assert metrics[-1]["eval_loss"] == pytest.approx(held_out, rel=1e-4)
    assert [row["step"] for row in metrics if "eval_loss" in row] == [2, 3]
    assert metrics[-1]["format_rate"] is None
    for ours, theirs in zip(run.engine.module.parameters(), plain.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)


class Killed(Exception):
    pass


def test_resuming_is_bit_identical(cfg, tiny_policy, tmp_path, monkeypatch):
    whole = trainer(cfg, copy.deepcopy(tiny_policy), tmp_path / "whole")
    whole.train()
    killed = trainer(cfg, copy.deepcopy(tiny_policy), tmp_path / "killed")
    update = killed._update

    def dying(rows):
        if killed.step == 3:
            raise Killed
        return update(rows)

    monkeypatch.setattr(killed, "_update", dying)
    with pytest.raises(Killed):
        killed.train()
    again = trainer(cfg, copy.deepcopy(tiny_policy), tmp_path / "killed")
    assert again.step == 2
    again.train()
    for ours, theirs in zip(again.engine.module.parameters(), whole.engine.module.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    texts = [(tmp_path / name / "metrics.jsonl").read_bytes() for name in ("whole", "killed")]
    assert texts[0] == texts[1] and len(texts[0].splitlines()) == 4
    timings = [json.loads(line) for line in (tmp_path / "killed" / "timings.jsonl").read_text().splitlines()]
    assert [row["step"] for row in timings] == [0, 1, 2, 3] and all(row["tokens_per_s"] > 0 for row in timings)


def test_old_checkpoints_are_deleted(cfg, tiny_policy, tmp_path):
    small = copy.deepcopy(cfg)
    small.sft.checkpoint_every, small.sft.checkpoints_kept = 1, 2
    trainer(small, tiny_policy, tmp_path).train()
    assert sorted(path.name for path in (tmp_path / "checkpoints").glob("step*")) == ["step3", "step4"]


def test_rows_must_divide_evenly(cfg, tiny_policy, tmp_path, monkeypatch):
    engine = Engine.start(tiny_policy, cfg.sft.optimiser)
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(UserError, match=r"sft\.rows_per_step=2 is no multiple of processes=3"):
        Trainer(cfg, engine, DOCUMENTS, Probe(cfg, engine, None, []), tmp_path)


def test_documents_learn_and_prompts_do_not(cfg, tiny_policy, tmp_path):
    long = copy.deepcopy(cfg)
    long.sft.steps, long.sft.optimiser.lr, long.sft.optimiser.warmup_steps = 60, 1e-2, 1
    metrics = trainer(long, tiny_policy, tmp_path).train()
    assert metrics[-1]["loss"] < 0.1 < 2 < metrics[0]["loss"]
    with torch.no_grad():
        prompts = [Tree(one.prompt[:1], [one.prompt[1:]]) for one in DOCUMENTS.own]
        assert document_losses(tiny_policy, prompts).mean() > 1


def test_steps_that_are_not_finite_stop_the_run_and_leave_no_checkpoint(cfg, tiny_policy, tmp_path):
    small = copy.deepcopy(cfg)
    small.sft.checkpoint_every = 1
    run = trainer(small, tiny_policy, tmp_path)
    with torch.no_grad():
        run.engine.module.lm_head.weight[:] = float("nan")
    with pytest.raises(UserError, match=r"3 steps in a row up to step 3 had no finite .* lower sft\.optimiser\.lr"):
        run.train()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [(row["step"], row["loss"], row["nonfinite"]) for row in rows] == [(i, None, 1) for i in range(3)]
    assert not list((tmp_path / "checkpoints").glob("step*"))
