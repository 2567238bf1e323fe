"""Rows that processes read together against plain forward passes of one process, path by path."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.families import TREES, model_of
from models.teams import BETA, CASES, RATE, ROWS, TEMPERATURE, loss_of, policy
from models.training import optimiser
from openswerl.errors import UserError
from openswerl.models.engine import Engine
from openswerl.models.packing import Tree, pack
from openswerl.models.ulysses import Team, check_team, key_repeats
from several_processes import processes

WORKER = Path(__file__).with_name("teams.py")
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return processes(WORKER, tmp_path_factory.mktemp("two"), 2, "2", *CASES)


def plain_values(model, row):
    """Each path alone through the model's public forward: tables of log-probabilities and entropies, and the mask."""
    paths = [(tree.prompt, branch) for tree in row for branch in tree.branches]
    logprobs, entropies = [], []
    for prompt, branch in paths:
        logits = model(torch.tensor([prompt + branch])).logits[0, len(prompt) - 1 : -1] / TEMPERATURE
        softmax = torch.distributions.Categorical(logits=logits)
        logprobs.append(softmax.log_prob(torch.tensor(branch)))
        entropies.append(softmax.entropy().detach())
    mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(branch)) for _, branch in paths], batch_first=True).bool()
    return *(torch.nn.utils.rnn.pad_sequence(rows, batch_first=True) for rows in (logprobs, entropies)), mask


def plain_step(case):
    """Values of all rows; norm and clipped gradients, in what PyTorch calls the first moments; weights after a step."""
    model = policy(**CASES[case][0])
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    values = [plain_values(model, row) for row in ROWS]
    sum(loss_of(logprobs, mask) for logprobs, _, mask in values).backward()
    norm = torch.nn.utils.clip_grad_norm_(trained.values(), optimiser().max_grad_norm).item()
    gradients = {name: p.grad * (1 - BETA) for name, p in trained.items()}
    torch.optim.AdamW(trained.values(), lr=RATE, betas=(BETA, 0.98), weight_decay=0.01).step()
    return values, norm, gradients, {name: p.detach() for name, p in model.named_parameters()}


def check(case, everyone, team=2):
    values, norm, gradients, weights = plain_step(case)
    read = [number for one in everyone for number in one[case]["values"]]
    assert sorted(read) == sorted([*range(len(ROWS))] * team), "each row is read by one team"
    assert norm > 2 * optimiser().max_grad_norm, "a clipped gradient shows a wrong norm"
    for one in (process[case] for process in everyone):
        for number, (logprobs, entropy, mask) in one["values"].items():
            assert torch.equal(mask, values[number][2])
            torch.testing.assert_close(logprobs, values[number][0].detach(), rtol=1e-6, atol=2e-6)
            torch.testing.assert_close(entropy, values[number][1], rtol=1e-6, atol=2e-6)
        assert one["norm"] == pytest.approx(norm, rel=2e-6)
        assert one["gradients"].keys() == gradients.keys()
        for name, theirs in gradients.items():
            assert (one["gradients"][name].reshape(theirs.shape) - theirs).norm() <= 3e-6 * theirs.norm(), name
        # AdamW divides by a gradient's size, so that one of rounding errors alone may turn a weight either way
        moved = torch.cat([(one["weights"][name] - theirs).abs().flatten() for name, theirs in weights.items()])
        assert (moved > 0.01 * RATE).double().mean() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_two_processes_read_and_step_as_one(two, case):
    check(case, two)


@pytest.mark.slow
def test_two_teams_of_two_step_as_one(tmp_path):
    cases = ("zero0", "zero2", "recomputed")
    everyone = processes(WORKER, tmp_path, 4, "2", *cases)
    for case in cases:
        check(case, everyone)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(1, 5), min_size=1, max_size=3)), min_size=1), st.data()
)
def test_the_parts_of_a_row_are_the_row(shape, data):
    """Tokens and targets number themselves, so that any that is lost, doubled or shifted shows."""
    size = data.draw(st.sampled_from([2, 3, 4, 8]))
    numbers = iter(range(1, 10**6))
    trees = [
        Tree([next(numbers) for _ in range(p)], [[next(numbers) for _ in range(b)] for b in bs]) for p, bs in shape
    ]
    teams = [Team(None, size, place) for place in range(size)]
    alone, row = pack(trees, CPU), pack(teams[0].filled(trees), CPU)
    parts = [team.part(row) for team in teams]
    length = alone.tokens.shape[1]
    for name in ("tokens", "positions"):
        pieces = [getattr(part, name) for part in parts]
        assert len({piece.shape for piece in pieces}) == 1
        assert torch.equal(torch.cat(pieces, 1)[:, :length], getattr(alone, name))
    assert torch.stack([part.own for part in parts]).sum(0).tolist() == [1] * len(alone.targets)
    assert len({len(part.targets) for part in parts} | {len(part.sources) for part in parts}) == 1
    for part in parts:
        count = int(part.own.sum())
        assert torch.equal(part.targets[:count], alone.targets[part.own])
        assert torch.equal(part.tokens[0, part.sources[:count]], alone.tokens[0, alone.sources[part.own]])


def test_filling_changes_no_other_token():
    assert sum(map(len, TREES)) == 26
    filled = Team(None, 5, 0).filled(TREES)
    assert (sum(map(len, filled)), filled[: len(TREES)]) == (30, TREES)
    assert Team(None, 2, 0).filled(TREES) == TREES


@pytest.mark.parametrize(
    ("heads", "key_heads", "size", "repeats"),
    [
        (64, 8, 8, 1),
        (64, 8, 4, 1),
        (64, 8, 16, 2),
        (64, 8, 64, 8),
        (6, 3, 2, 2),
        (6, 2, 3, 3),
        (4, 4, 2, 1),
        (12, 2, 3, 3),
    ],
)
def test_key_heads_follow_their_query_heads(heads, key_heads, size, repeats):
    """Query head h looks at key head h // (heads / key heads): here each process finds it among its own."""
    assert key_repeats(heads, key_heads, size) == repeats
    keys = torch.arange(key_heads).repeat_interleave(repeats).reshape(size, -1)
    for place, queries in enumerate(torch.arange(heads).reshape(size, -1)):
        found = keys[place].repeat_interleave(queries.numel() // keys.shape[1])
        assert torch.equal(found, queries // (heads // key_heads))


@pytest.mark.parametrize(
    ("model", "processes", "size", "message"),
    [
        ({}, 4, 3, r"optimiser\.sequence_parallel=3 does not divide the number of processes, 4"),
        ({}, 8, 8, r"sequence_parallel=8 does not divide the 4 attention heads of the model"),
        (
            {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}}, 2, 2,
            r"sequence_parallel=2 does not go with the model's rope_type dynamic, which looks at the row's length",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_shared_is_one_line(monkeypatch, model, processes, size, message):
    monkeypatch.setenv("WORLD_SIZE", str(processes))
    with pytest.raises(UserError, match=message):
        check_team(model_of("llama", num_key_value_heads=2, **model), size)


def test_a_single_process_has_no_team():
    assert Engine.start(model_of("llama"), optimiser()).team is None
    with pytest.raises(UserError, match="sequence_parallel=2 does not divide the number of processes, 1"):
        Engine.start(model_of("llama"), optimiser(sequence_parallel=2))
