"""The engine in this process, on a checkpoint."""

import itertools
import os

import pytest
import torch

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED
from openswerl.rollout import open_sampler
from vllm_cpu.cases import PROMPTS, SMALL


@pytest.fixture(scope="module")
def engine():
    before = dict(os.environ)
    torch.set_num_threads(1)
    cfg = load("rollout=vllm", *SMALL)
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    yield sampler
    sampler.close()
    sampler.close()
    os.environ.clear()
    os.environ.update(before)


def ids(rows):
    return [[one.token_ids for one in row] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("stop", ["null", "'</solution>'", "EPLA"])
def test_the_greedy_text_is_that_of_the_model_in_process(engine, stop):
    cfg = load(f"rollout.stop={stop}")
    local = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    draw = {"samples": 1, "temperature": 0.0, "seeds": [0, 0, 0]}
    engine.rollout = load("rollout=vllm", f"rollout.stop={stop}").rollout
    for (there,), (here,) in zip(engine.generate(PROMPTS, **draw), local.generate(PROMPTS, **draw), strict=True):
        assert (there.text, there.finished, there.token_ids) == (here.text, here.finished, here.token_ids)
        assert there.logprobs == pytest.approx(here.logprobs, abs=1e-4)


@pytest.mark.slow
def test_a_sample_depends_on_its_seed_alone(engine):
    together = engine.generate(PROMPTS, samples=3, temperature=1.0, seeds=[5, 6, 7])
    alone = engine.generate(PROMPTS[1:2], samples=2, temperature=1.0, seeds=[6])
    assert ids(together)[1][:2] == ids(alone)[0]
    assert len({tuple(row) for row in ids(together)[1]}) > 1


@pytest.mark.slow
def test_a_stream_that_is_given_up_leaves_nothing_behind(engine):
    draw = {"samples": 2, "temperature": 1.0, "seeds": [5, 6, 7]}
    whole = ids(engine.generate(PROMPTS, **draw))
    stream = engine.stream(PROMPTS, **draw)
    assert len(list(itertools.islice(stream, 2))) == 2
    stream.close()
    assert ids(engine.generate(PROMPTS, **draw)) == whole


@pytest.mark.slow
def test_what_cannot_start_is_one_line(tmp_path):
    cfg = load("rollout=vllm", *SMALL, "rollout.engine.tensor_parallel=2")
    with pytest.raises(UserError, match=r"^rollout\.engine\.tensor_parallel=2 needs rollout\.engine\.mode=server"):
        open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    cfg = load("rollout=vllm", *SMALL, "model.max_prompt_tokens=5000")
    with pytest.raises(UserError, match=r"^vLLM does not start: ") as error:
        open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    assert "\n" not in str(error.value)
