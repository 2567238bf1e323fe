"""The real vLLM, on this machine's CPU: `make test-vllm` builds an environment that has it."""

import os

import pytest

os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(autouse=True, scope="session")
def _vllm():
    pytest.importorskip("vllm", reason="make test-vllm has it")
