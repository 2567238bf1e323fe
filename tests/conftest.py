"""Shared fixtures: small real models and the real laptop checkpoint."""

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["WANDB_MODE"] = "disabled"  # tests of W&B say tracking.wandb=offline

import pytest

LONG = ("tests/workflow/test_whole_graph.py", "tests/workflow/test_laptop_graph.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the tests that take minutes, so that no process waits for them alone at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real data outside the project; tests that need it skip without OPENSWERL_DATA."""
    if "OPENSWERL_DATA" not in os.environ:
        pytest.skip("OPENSWERL_DATA is not set")
    return Path(os.environ["OPENSWERL_DATA"])


@pytest.fixture
def tiny_policy():
    """A random Llama with grouped key/value heads and a vocabulary of 60; fresh for every test."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=60,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.3,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config).eval()
