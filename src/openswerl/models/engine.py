"""DeepSpeed around a policy: start, step at a scheduled rate, save, resume. The same calls serve CPU and GPUs."""

import importlib
import os
import socket
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig
from transformers import PreTrainedModel

Engine = Any  # deepspeed.DeepSpeedEngine, which is untyped and slow to import


def start_engine(policy: PreTrainedModel, optimiser: DictConfig) -> Engine:
    """Wrap the policy for training with AdamW, in ZeRO stage `optimiser.zero_stage`."""
    _single_process_defaults()
    import deepspeed

    if not torch.cuda.is_available():
        _spare_the_compiler()
    deepspeed.init_distributed(dist_backend="nccl" if torch.cuda.is_available() else "gloo")
    adam = torch.optim.AdamW(
        policy.parameters(), lr=optimiser.lr, betas=tuple(optimiser.betas), weight_decay=optimiser.weight_decay
    )
    bf16 = next(policy.parameters()).dtype == torch.bfloat16
    config = {
        "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": 1,
        "gradient_clipping": optimiser.max_grad_norm,
        "zero_optimization": {"stage": optimiser.zero_stage},
        "zero_allow_untested_optimizer": True,
        "bf16": {"enabled": bf16},
        "steps_per_print": 10**9,
    }
    engine, *_ = deepspeed.initialize(model=policy, optimizer=adam, config=config)
    return engine


def _single_process_defaults() -> None:
    """Rendezvous variables that a launcher would set; without them DeepSpeed asks for MPI."""
    if "RANK" in os.environ:
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    os.environ.setdefault("DS_LOG_LEVEL", "error")


def _spare_the_compiler() -> None:
    """Do without DeepSpeed's shared-memory all-reduce: it would compile for two minutes; gloo does the work."""
    importlib.import_module("deepspeed.comm.torch").build_shm_op = lambda: None  # type: ignore[attr-defined]


def learning_rate(step: int, steps: int, optimiser: DictConfig) -> float:
    """Linear warm-up, then linear decay of the peak to `final_lr` times it at the last step."""
    warm = min(1.0, (step + 1) / max(1, optimiser.warmup_steps))
    return optimiser.lr * warm * (1 - (1 - optimiser.final_lr) * step / steps)


def step_engine(engine: Engine, lr: float) -> float:
    """Apply the accumulated gradient at this rate; returns its norm before clipping."""
    for group in engine.optimizer.param_groups:
        group["lr"] = lr
    norm = _gradient_norm(engine)
    engine.step()
    return norm


def _gradient_norm(engine: Engine) -> float:
    """The norm over all parameters; 0.0 where ZeRO has spread the gradients before the step."""
    gradients = [p.grad for p in engine.module.parameters() if p.grad is not None]
    return float(torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients]))) if gradients else 0.0


def save(engine: Engine, folder: Path, step: int) -> None:
    """Save weights, optimiser and step; `latest` is written last, so a kill leaves the one before valid."""
    engine.save_checkpoint(str(folder), tag=f"step{step}", client_state={"step": step})


def resume(engine: Engine, folder: Path) -> int:
    """Load the latest checkpoint in place; returns the number of finished steps, 0 if there is none."""
    if not (folder / "latest").exists():
        return 0
    _, state = engine.load_checkpoint(str(folder))
    return int(state["step"])
