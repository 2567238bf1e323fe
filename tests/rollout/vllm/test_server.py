"""A server that cannot run is one line; what a running one does is seen in tests/vllm_cpu."""

import importlib.util
import os

import pytest

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED
from openswerl.rollout.vllm.opening import open_vllm
from openswerl.rollout.vllm.server import Server, host, reach_directly

without = pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is here")


@without
@pytest.mark.parametrize("rollout", ["vllm", "vllm_server"])
def test_without_vllm_the_line_says_how_to_get_it(rollout):
    cfg = load(f"rollout={rollout}")
    with pytest.raises(UserError, match=r"^rollout\.backend=vllm needs vLLM: pip install -c constraints-gpu\.txt"):
        open_vllm(cfg.model, cfg.rollout, cfg.serving, PACKAGED)


@without
def test_a_server_that_ends_at_once_shows_its_last_words(tmp_path):
    cfg = load("rollout=vllm_server", f"serving.folder={tmp_path}")
    with pytest.raises(UserError) as error:
        Server({"model": "m"}, cfg.rollout.engine, cfg.serving)
    (log,) = tmp_path.glob("vllm-*.log")
    assert str(error.value).startswith("the vLLM server ended while it started: ")
    assert str(error.value).endswith(f"No module named 'vllm') (its log is {log})")


@pytest.mark.parametrize("before", [None, "", "example.org", "127.0.0.1,example.org"])
def test_no_proxy_stands_between_us_and_this_machine(monkeypatch, before):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        if before is not None:
            monkeypatch.setenv(name, before)
    reach_directly("127.0.0.1")
    for name in ("NO_PROXY", "no_proxy"):
        assert sorted(os.environ[name].split(",")) == sorted({"127.0.0.1", *filter(None, (before or "").split(","))})


@pytest.mark.parametrize(("there", "expected"), [("2", "127.0.0.1"), ("1", "node0.cluster")])
def test_processes_on_other_machines_are_told_an_address_that_they_can_reach(monkeypatch, there, expected):
    for name, value in {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": there, "MASTER_ADDR": "node0.cluster"}.items():
        monkeypatch.setenv(name, value)
    assert host() == expected
