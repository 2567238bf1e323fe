"""DeepSpeed's settings and its traps: one place for what differs between CPU and GPU, and between ZeRO stages."""

import importlib
import os
from typing import Any

import torch
import torch.distributed as dist
from omegaconf import DictConfig
from transformers import PreTrainedModel

from openswerl.errors import UserError

STAGES = (0, 1, 2, 3)
OFFLOADS = ("none", "cpu")
LAUNCHED = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}  # other libraries leave some of them behind


def open_process_group() -> None:
    """Join the processes of the launcher, or be alone; safe to call again."""
    os.environ.setdefault("DS_LOG_LEVEL", "error")
    os.environ.setdefault("LOCAL_RANK", "0")
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    if not torch.cuda.is_available():
        os.environ.setdefault("DS_ACCELERATOR", "cpu")
        _spare_the_compiler()
    if not os.environ.keys() >= LAUNCHED and not dist.is_initialized():
        # without a launcher DeepSpeed would ask for MPI, or for variables that child processes would take for their own
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    import deepspeed

    deepspeed.init_distributed(dist_backend=backend, verbose=False)


def _spare_the_compiler() -> None:
    """Do without DeepSpeed's shared-memory all-reduce: it would compile for two minutes; gloo does the work."""
    importlib.import_module("deepspeed.comm.torch").build_shm_op = lambda: None  # type: ignore[attr-defined]


def adamw(policy: PreTrainedModel, optimiser: DictConfig) -> torch.optim.AdamW:
    """Return AdamW over what is trained; DeepSpeed's own would be compiled at the start."""
    return torch.optim.AdamW(
        [parameter for parameter in policy.parameters() if parameter.requires_grad],
        lr=optimiser.lr,
        betas=tuple(optimiser.betas),
        weight_decay=optimiser.weight_decay,
        fused=optimiser.offload == "cpu" or None,
    )


def settings(policy: PreTrainedModel, optimiser: DictConfig) -> dict[str, Any]:
    """Return DeepSpeed's config for training. Raises UserError for a stage or an offload that there is not."""
    _check(policy, optimiser)
    return {
        **_common(policy),
        "gradient_clipping": optimiser.max_grad_norm if optimiser.zero_stage else 0.0,
        "zero_optimization": _partition(optimiser, optimiser.zero_stage),
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        **_sums(policy, optimiser),
        "managed_gradient_accumulation": False,  # a step has as many micro-batches as the trainer gives it
    }


def frozen_settings(policy: PreTrainedModel, optimiser: DictConfig) -> dict[str, Any]:
    """Return DeepSpeed's config for a model that is only read, its parameters spread by ZeRO-3."""
    return {**_common(policy), "zero_optimization": _partition(optimiser, 3)}


def _common(policy: PreTrainedModel) -> dict[str, Any]:
    return {
        "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": 1,
        "bf16": {"enabled": policy.dtype == torch.bfloat16, "check_grad_overflow": True},
        "steps_per_print": 10**9,
    }


def _sums(policy: PreTrainedModel, optimiser: DictConfig) -> dict[str, Any]:
    """Add up micro-batches in float32, as small ones would be lost in bfloat16; DeepSpeed's stage 1 gets that wrong."""
    exact = policy.dtype == torch.bfloat16 and optimiser.zero_stage > 1
    return {"data_types": {"grad_accum_dtype": "fp32"}} if exact else {}


def _partition(optimiser: DictConfig, stage: int) -> dict[str, Any]:
    zero: dict[str, Any] = {"stage": stage}
    if not torch.cuda.is_available():
        zero["stage3_param_persistence_threshold"] = 0  # the models of a CPU are small: else nothing would be spread
    if optimiser.offload == "cpu":
        place = {"device": "cpu", "pin_memory": torch.cuda.is_available()}
        zero |= {"offload_optimizer": place} | ({"offload_param": place} if stage == 3 else {})
    return zero


def _check(policy: PreTrainedModel, optimiser: DictConfig) -> None:
    if optimiser.zero_stage not in STAGES:
        raise UserError(f"optimiser.zero_stage={optimiser.zero_stage} is unknown: choose 0, 1, 2 or 3")
    if optimiser.offload not in OFFLOADS:
        raise UserError(f"optimiser.offload={optimiser.offload} is unknown: choose none or cpu")
    if optimiser.zero_stage == 0 and policy.dtype == torch.bfloat16:
        raise UserError("model.dtype=bfloat16 needs optimiser.zero_stage=1, 2 or 3: stage 0 keeps no float32 weights")
    if optimiser.offload == "cpu" and optimiser.zero_stage < 2:
        raise UserError(f"optimiser.offload=cpu needs optimiser.zero_stage=2 or 3, not {optimiser.zero_stage}")


def device() -> torch.device:
    """Return where this process computes."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
