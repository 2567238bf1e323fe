"""Shapes of models that are named in conf/, from the config.json of their repositories on Hugging Face."""

from typing import Any

LLAMA_70B = {
    "layers": 80,
    "hidden": 8192,
    "intermediate": 28672,
    "heads": 64,
    "kv_heads": 8,
    "head_size": 128,
    "vocabulary": 128256,
    "tied": False,
    "bias": False,
}
LLAMA_8B = LLAMA_70B | {"layers": 32, "hidden": 4096, "intermediate": 14336, "heads": 32}
QWEN_7B = {
    "layers": 28,
    "hidden": 3584,
    "intermediate": 18944,
    "heads": 28,
    "kv_heads": 4,
    "head_size": 128,
    "vocabulary": 152064,
    "tied": False,
    "bias": True,
}
QWEN_32B = QWEN_7B | {"layers": 64, "hidden": 5120, "intermediate": 27648, "heads": 40, "kv_heads": 8}
SMOLLM2 = {
    "layers": 30,
    "hidden": 576,
    "intermediate": 1536,
    "heads": 9,
    "kv_heads": 3,
    "head_size": 64,
    "vocabulary": 49152,
    "tied": True,
    "bias": False,
}

KNOWN: dict[str, dict[str, Any]] = {
    "meta-llama/Llama-3.3-70B-Instruct": LLAMA_70B,
    "meta-llama/Llama-3.1-70B-Instruct": LLAMA_70B,
    "meta-llama/Llama-3.1-8B-Instruct": LLAMA_8B,
    "Qwen/Qwen2.5-Coder-7B-Instruct": QWEN_7B,
    "Qwen/Qwen2.5-Coder-32B-Instruct": QWEN_32B,
    "HuggingFaceTB/SmolLM2-135M-Instruct": SMOLLM2,
    "results/models/smollm2": SMOLLM2,  # where scripts/dev/make_smollm2.py writes it
}
