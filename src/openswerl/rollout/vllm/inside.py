"""Start and stop vLLM inside this process, beside a trainer that has its own process group."""

import gc
import os
from typing import Any

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.distributed import world


def start(settings: dict[str, Any], engine: DictConfig) -> Any:
    """Return vLLM's `LLM`. All processes call it together. Raises UserError if it does not start."""
    if engine.tensor_parallel > 1:
        raise UserError(
            f"rollout.engine.tensor_parallel={engine.tensor_parallel} needs rollout.engine.mode=server: an engine "
            "inside the training process has the one GPU of that process"
        )
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # weights come as tensors, not over a pipe
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")  # else its settings fill a screen
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    import torch
    from vllm import LLM

    shared = torch.distributed.is_initialized()
    executor = "external_launcher" if world() > 1 else "uni"
    try:
        llm = LLM(
            **settings,
            distributed_executor_backend=executor,
            enable_sleep_mode=can_sleep(),
            use_tqdm_on_load=False,
        )
    except Exception as error:  # memory, CUDA, a model that vLLM does not know: its errors are of many kinds
        raise UserError(f"vLLM does not start: {reason_of(error)}; look above for more") from None
    if shared:
        llm.llm_engine.engine_core._finalizer.detach()  # it would close the trainer's process group
    return llm


def stop(llm: Any) -> None:
    """Free what the engine holds; a process group that was there before it stays."""
    from vllm.distributed.parallel_state import destroy_model_parallel

    client = llm.llm_engine.engine_core
    if client._finalizer.alive:
        client.shutdown()
        return
    client.engine_core.model_executor.shutdown()
    destroy_model_parallel()
    gc.collect()


def can_sleep() -> bool:
    """Whether the engine can leave the GPU; on a CPU it cannot."""
    from vllm.platforms import current_platform

    return bool(current_platform.is_sleep_mode_available())


def reason_of(error: Exception) -> str:
    """Return the first line of what vLLM raised."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
