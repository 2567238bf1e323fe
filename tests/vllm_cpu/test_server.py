"""A server that we start: who may talk to it, what it answers, and how it ends."""

import os
import signal
import subprocess
import sys
import time

import httpx
import psutil
import pytest
import torch

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED
from openswerl.rollout import open_sampler
from openswerl.rollout.openai import OpenAiSampler
from vllm_cpu.cases import PROMPTS, SMALL

OWNER = """
import sys, time
from openswerl.config import load
from openswerl.rollout import open_sampler
from openswerl.models.checkpoint import PACKAGED
cfg = load(*sys.argv[1:])
sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
print(sampler.server.process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    torch.set_num_threads(1)
    cfg = load("rollout=vllm_server", *SMALL, f"serving.folder={tmp_path_factory.mktemp('serving')}")
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    yield sampler
    sampler.close()


@pytest.fixture(scope="module")
def local():
    cfg = load()
    return open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)


def greedy(sampler, prompts=PROMPTS):
    rows = sampler.generate(prompts, samples=1, temperature=0.0, seeds=[0] * len(prompts))
    return [(one.text, one.finished) for (one,) in rows]


@pytest.mark.slow
def test_the_greedy_text_is_that_of_the_model_in_process(served, local):
    assert greedy(served) == greedy(local)


@pytest.mark.slow
def test_a_tag_within_a_token_ends_it_as_in_process(served):
    cfg = load("rollout.stop=EPLA")
    local = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    served.inner.rollout.stop = "EPLA"
    try:
        assert greedy(served) == greedy(local)
    finally:
        served.inner.rollout.stop = None


@pytest.mark.slow
def test_a_sample_depends_on_its_seed_alone(served):
    draw = {"samples": 3, "temperature": 1.0}
    together = served.generate(PROMPTS, seeds=[5, 6, 7], **draw)
    (alone,) = served.generate(PROMPTS[1:2], seeds=[6], **draw)
    assert [one.token_ids for one in together[1]] == [one.token_ids for one in alone]
    assert len({tuple(one.token_ids) for one in alone}) > 1
    assert all(one.version is None and one.logprobs for one in alone)


@pytest.mark.slow
def test_the_openai_backend_reads_it_too(served, local, monkeypatch, tmp_path):
    """As it reads any vLLM server, without knowing whose it is: from the variables, in texts."""
    channel = served.server.channel
    monkeypatch.setenv("OPENAI_BASE_URL", channel.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", channel.key)
    monkeypatch.setenv("OPENAI_MODEL", channel.model)
    cfg = load("rollout=openai", f"rollout.endpoint.tokenizer={PACKAGED}", f"serving.folder={tmp_path}")
    sampler = OpenAiSampler(cfg.model, cfg.rollout, cfg.serving)
    assert greedy(sampler) == greedy(local)
    sampler.close()


@pytest.mark.slow
def test_only_the_owner_may_exchange_weights(served):
    server = served.server
    for path in ("/collective_rpc", "/v1/completions", "/sleep"):
        assert httpx.post(f"{server.address}{path}", json={}).status_code == 401
    assert httpx.get(f"{server.address}/health").status_code == 200
    assert server.key not in server.log.read_text() + repr(server.channel)


@pytest.mark.slow
def test_weights_that_cannot_be_read_are_one_line(served, tmp_path):
    with pytest.raises(UserError, match=r"^the vLLM server refused /collective_rpc \(500\): .*; see .*\.log$"):
        served.server.post("/collective_rpc", {"method": "receive_nothing"}, 30)


@pytest.mark.slow
def test_a_killed_owner_takes_its_server_along(tmp_path):
    command = [sys.executable, "-c", OWNER, "rollout=vllm_server", *SMALL, f"serving.folder={tmp_path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as owner:
        keeper = psutil.Process(int(owner.stdout.readline()))
        family = [keeper, *keeper.children(recursive=True)]
        assert len(family) > 2
        owner.kill()
    end = time.monotonic() + 60
    while time.monotonic() < end and any(alive(one) for one in family):
        time.sleep(0.2)
    assert not any(alive(one) for one in family)


def alive(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_a_model_that_vllm_does_not_read_is_one_line(tmp_path):
    cfg = load("rollout=vllm_server", *SMALL, f"serving.folder={tmp_path}", "model.max_prompt_tokens=5000")
    with pytest.raises(
        UserError, match=r"(?s)^the vLLM server ended while it started: .*its log is .*\.log\)$"
    ) as error:
        open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_a_server_that_dies_says_so_itself(tmp_path):
    """Not the address, which nobody has configured."""
    cfg = load(
        "rollout=vllm_server", *SMALL, f"serving.folder={tmp_path}", "serving.attempts=2", "serving.max_wait_s=1"
    )
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    os.killpg(sampler.server.process.pid, signal.SIGKILL)
    with pytest.raises(UserError, match=r"^the vLLM server has ended: .*its log is .*\.log\)$"):
        greedy(sampler)
    sampler.close()
