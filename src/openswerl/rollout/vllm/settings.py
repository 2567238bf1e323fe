"""What vLLM is told about model and engine, whether it runs in this process or as a server."""

from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.rollout.vllm import worker

RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)  # what vLLM keeps room for
ADAPTER = "adapter"


def engine_settings(model: DictConfig, rollout: DictConfig, checkpoint: Path | str, *, lora: bool) -> dict[str, Any]:
    """Return the arguments of vLLM's engine; with `lora` it takes adapters of the policy's rank.

    The model's own defaults for sampling stay out, as they would truncate the distribution that training uses, and
    log-probabilities are those at the sampling temperature.
    """
    engine = rollout.engine
    found = {
        "model": str(checkpoint),
        "dtype": model.dtype,
        "max_model_len": model.max_prompt_tokens + model.max_response_tokens,
        "logprobs_mode": "processed_logprobs",
        "generation_config": "vllm",
        "gpu_memory_utilization": engine.gpu_memory,
        "enforce_eager": engine.eager,
        "worker_extension_cls": worker.NAME,
    }
    if model.revision:
        found |= {"revision": model.revision, "tokenizer_revision": model.revision}
    return found | (_lora_settings(model.lora.rank) if lora else {})


def _lora_settings(rank: int) -> dict[str, Any]:
    room = next((size for size in RANKS if size >= rank), None)
    if room is None:
        raise UserError(f"model.lora.rank={rank} is more than the {RANKS[-1]} that vLLM serves: lower it")
    return {"enable_lora": True, "max_lora_rank": room, "max_loras": 1}


def options(settings: dict[str, Any]) -> list[str]:
    """Return the same as options of a command line."""
    words = []
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if value is not False:
            words += [option] if value is True else [option, str(value)]
    return words
