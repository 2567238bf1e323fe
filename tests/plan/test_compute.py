"""FLOPs by hand, and a step's time against what the paper says of its run."""

from dataclasses import replace

import pytest

from openswerl.compose import load
from openswerl.plan.compute import Device, forward_flops, time_of, tokens_of, training_flops
from openswerl.plan.ideal import even_time
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import shape_of

PAPER = load("scale=paper")
SHAPE = shape_of(PAPER.model)
GPUS, HOURS, STEPS, PEAK = 512, 32, 1600, 989e12  # paper 3.1, and the data sheet of an H100
STEP_S = HOURS * 3600 / STEPS


@pytest.fixture
def layout():
    """The paper's step, its rows padded: that prompts are shared is ours."""
    return replace(Layout.of(PAPER, "grpo"), forward="padded")


def test_the_papers_step():
    assert PAPER.nodes * PAPER.plan.devices == GPUS and PAPER.grpo.steps == STEPS


def test_flops_are_six_a_weight_and_token_and_those_of_attention(layout):
    """512 rows of 16,384 tokens; the embedding is no product, and the head reads 4,096 of them."""
    tokens = 512 * 16_384
    assert tokens_of(layout) == tokens
    matrices = 70_553_706_496 - 2 * 128_256 * 8192 - 161 * 8192
    attention = 4 * 80 * 8192 * 512 * 16_384**2 / 2
    expected = 2 * tokens * matrices + 2 * 512 * 4096 * 128_256 * 8192 + attention
    assert forward_flops(layout, SHAPE) == pytest.approx(expected)
    assert training_flops(replace(layout, kl=False), SHAPE) == pytest.approx(3 * expected)
    assert training_flops(layout, SHAPE) == pytest.approx(4 * expected), "and one pass of the reference"
    assert training_flops(replace(layout, rank=16, kl=False), SHAPE) == pytest.approx(2 * expected)


def test_a_shared_prompt_is_read_once(layout):
    packed = replace(layout, forward="packed")
    assert tokens_of(packed) == 32 * (12_288 + 16 * 4096)
    alone = replace(layout, group=1)
    assert forward_flops(replace(alone, forward="packed"), SHAPE) == pytest.approx(forward_flops(alone, SHAPE))


def test_the_papers_72_seconds_are_a_plausible_use_of_its_gpus(layout):
    """If all sequences were full; the share of the peak over the whole step, sampling included."""
    assert 0.05 < training_flops(layout, SHAPE) / (GPUS * PEAK * STEP_S) < 0.4


def test_a_step_spread_evenly_takes_about_the_papers_72_seconds(layout):
    """Within a quarter, at the MFU and lengths that conf/plan states."""
    time = even_time(layout, SHAPE, Device.of(PAPER.plan), PAPER.plan.fill)
    assert time.step == pytest.approx(STEP_S, rel=0.25)


def test_the_busiest_process_decides():
    """Our loop gives a prompt to one team: of 32 prompts twice as many teams are of no use."""
    layout, device = Layout.of(PAPER, "grpo"), Device.of(PAPER.plan)
    train = time_of(layout, SHAPE, device, 1).train
    assert time_of(replace(layout, machines=128), SHAPE, device, 1).train == pytest.approx(train)
    assert time_of(replace(layout, machines=32), SHAPE, device, 1).train == pytest.approx(2 * train)


def test_samples_that_do_not_fit_into_the_cache_wait():
    layout, device = Layout.of(PAPER, "grpo"), Device.of(PAPER.plan)
    wide = replace(layout, memory=10 * layout.memory)
    assert time_of(wide, SHAPE, device, 0.5).generate < time_of(layout, SHAPE, device, 0.5).generate
