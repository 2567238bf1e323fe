"""The script for a GPU, at its tiny size on a CPU."""

import importlib.util
import math
import sys

import pytest
import torch

from openswerl.compose import ROOT


@pytest.fixture(scope="module")
def smoke():
    spec = importlib.util.spec_from_file_location("gpu_smoke", ROOT / "bench" / "gpu_smoke.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpu_smoke"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gpu_smoke"]


def test_every_part_runs_and_is_exact(smoke):
    report = smoke.measure(smoke.TINY, torch.device("cpu"))
    assert report["skipped"] == []
    assert max(report["exact_float32"].values()) <= 1e-5
    half = report["exact_bfloat16"]
    assert half["packed_float32_logprob"] <= 2 * half["padded_float32_logprob"]
    assert half["packed_float32_gradient_relative"] <= 2 * half["padded_float32_gradient_relative"]
    step = report["grpo_step"]
    assert step["weights_moved"] > 0 and step["grad_norm"] > 0 and all(map(math.isfinite, step.values()))
    for prompt in smoke.TINY.prompts:
        for forward in ("packed", "padded"):
            assert report[f"{forward}_{prompt}"]["answer_tokens_per_s"] > 0


def test_what_has_no_time_is_named(smoke, monkeypatch):
    monkeypatch.setattr(smoke, "LIMIT_S", 0.0)
    report = smoke.measure(smoke.TINY, torch.device("cpu"))
    assert report["skipped"][:3] == ["exact_float32", "exact_bfloat16", "grpo_step"] and len(report["skipped"]) == 7


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_is_one_line(smoke, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gpu_smoke.py"])
    with pytest.raises(SystemExit, match="no GPU is visible; --tiny runs on a CPU"):
        smoke.main()
