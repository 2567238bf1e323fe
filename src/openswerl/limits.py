"""Values that the types of the schema let through and that make no sense."""

import math
import re
from collections.abc import Iterator

from omegaconf import DictConfig, OmegaConf

from openswerl.stages import STAGES

SOURCES = ("laptop", "local", "gharchive")
DTYPES = ("float32", "bfloat16")
# The least and the greatest value of a key.
LIMITS = {
    "memory_mb": (150, math.inf),  # DuckDB needs that much for its own
    "processes": (1, math.inf),
    "nodes": (1, math.inf),
    "crawl.max_blob_bytes": (1, math.inf),
    "crawl.max_diff_bytes": (1, math.inf),
    "network.connections": (1, math.inf),
    "network.attempts": (1, math.inf),
    "network.timeout_s": (0, math.inf),
    "network.max_wait_s": (0, math.inf),
    "network.clone_timeout_s": (0, math.inf),
    "curate.max_changed_files": (1, math.inf),
    "curate.max_diff_bytes": (1, math.inf),
    "curate.max_seed_files": (1, math.inf),
    "curate.max_overlap": (0, 1),
    "curate.min_similarity": (0, 1),
    "curate.overlap_words": (1, math.inf),
    "relate.max_files": (0, math.inf),
    "relate.max_bytes": (0, math.inf),
    "model.max_prompt_tokens": (1, math.inf),
    "model.max_response_tokens": (1, math.inf),
    "model.lora.rank": (0, math.inf),
    "rollout.batch_rows": (1, math.inf),
    "rollout.correction_cap": (0, math.inf),
    "rollout.engine.tensor_parallel": (1, math.inf),
    "rollout.engine.gpu_memory": (0.01, 1),
    "rollout.engine.max_gap": (0, math.inf),
    "serving.connections": (1, math.inf),
    "serving.attempts": (1, math.inf),
    "serving.connect_timeout_s": (0.01, math.inf),
    "serving.timeout_s": (0.01, math.inf),
    "serving.total_timeout_s": (0.01, math.inf),
    "serving.max_wait_s": (0, math.inf),
    "serving.start_timeout_s": (1, math.inf),
    "serving.sync_timeout_s": (1, math.inf),
    "preflight.instances": (1, math.inf),
    "preflight.samples": (1, math.inf),
    "preflight.repeats": (0, math.inf),
    "preflight.confidence": (0.5, 0.999),
    "preflight.trial": (0, math.inf),
    "sft.prompts": (1, math.inf),
    "sft.samples_per_prompt": (1, math.inf),
    "sft.temperature": (0, math.inf),
    "sft.localisation": (0, 1),
    "sft.held_out": (0, 0.9),
    "sft.mix.share": (0, 0.99),
    "sft.steps": (1, math.inf),
    "sft.rows_per_step": (1, math.inf),
    "sft.row_tokens": (1, math.inf),
    "sft.evaluate_every": (1, math.inf),
    "sft.probe_prompts": (0, math.inf),
    "sft.checkpoint_every": (1, math.inf),
    "sft.checkpoints_kept": (1, math.inf),
    "sft.nonfinite_steps": (1, math.inf),
    "grpo.steps": (1, math.inf),
    "grpo.prompts_per_step": (1, math.inf),
    "grpo.group_size": (2, math.inf),  # one sample has no advantage over itself
    "grpo.iterations": (1, math.inf),
    "grpo.temperature": (0.01, math.inf),
    "grpo.clip_low": (0, 1),
    "grpo.clip_high": (0, math.inf),
    "grpo.kl_coefficient": (0, math.inf),
    "grpo.resample_rounds": (0, math.inf),
    "grpo.micro_batch_groups": (1, math.inf),
    "grpo.checkpoint_every": (1, math.inf),
    "grpo.checkpoints_kept": (1, math.inf),
    "grpo.plot_every": (1, math.inf),
    "grpo.alarms.patience": (1, math.inf),
    "grpo.alarms.nonfinite_steps": (1, math.inf),
    "grpo.alarms.max_sampler_gap": (0, math.inf),
    "grpo.alarms.unanswered_steps": (1, math.inf),
    "evaluate.gate_runs": (1, math.inf),
    "evaluate.max_invalid": (0, 1),
    "evaluate.container.workers": (1, math.inf),
    "evaluate.mini.curves": (0, math.inf),
    "evaluate.mini.rows": (1, math.inf),
    "evaluate.mini.localisation.samples": (1, math.inf),
    "evaluate.mini.localisation.temperature": (0, math.inf),
    "evaluate.mini.repair.samples": (1, math.inf),
    "evaluate.mini.repair.temperature": (0, math.inf),
    "evaluate.mini.reproduction.samples": (1, math.inf),
    "evaluate.mini.reproduction.temperature": (0, math.inf),
    "evaluate.mini.reproduction.max_tests": (1, math.inf),
    "evaluate.mini.regression.max_files": (1, math.inf),
    "evaluate.mini.regression.runs": (1, math.inf),
    "ood.max_prompt_tokens": (1, math.inf),
    "ood.max_response_tokens": (1, math.inf),
    "ood.test_timeout_s": (1, math.inf),
    "reward.workers": (1, math.inf),
    "reward.cache_size": (0, math.inf),
    "reward.max_unscorable": (0, 1),
    "plan.device.memory_gib": (0.01, math.inf),
    "plan.device.taken_gib": (0, math.inf),
    "plan.device.teraflops": (0.001, math.inf),
    "plan.device.terabytes_per_s": (0.001, math.inf),
    "plan.devices": (1, math.inf),
    "plan.memory_gib": (0.01, math.inf),
    "plan.mfu": (0.001, 1),
    "plan.bandwidth_use": (0.001, 1),
    "plan.decode_overhead_ms": (0, math.inf),
    "plan.publish_gigabytes_per_s": (0.001, math.inf),
    "plan.fill": (0.001, 1),
}

# Numbers that training reckons with; nan would silently spoil a whole group.
FINITE = ("reward.format_penalty", "reward.timeout_reward", "grpo.truncated_reward")

# Names; those of other keys are known where they are used.
CHOICES = {
    "rollout.backend": ("local", "vllm", "openai", "replay"),
    "rollout.stale": ("refuse", "correct"),
    "rollout.engine.mode": ("colocated", "server"),
    "rollout.endpoint.limit_key": ("max_tokens", "max_completion_tokens"),
    "grpo.truncated": ("penalise", "mask"),
    "grpo.zero_variance": ("keep", "resample"),
    "evaluate.mode": ("score", "gold", "regrade"),
    "evaluate.backend": ("laptop", "local", "docker", "podman", "apptainer"),
    "evaluate.mini.regression.selection": ("honest", "paper_compat"),
    "plan.format": ("table", "json"),
    "plan.device.kind": ("gpu", "cpu"),
}
MODES = ("offline", "online", "disabled")  # of W&B

# Names of environment variables. Who puts a key there by mistake must not find it in logs and results.
VARIABLES = (
    "network.token_variable",
    *(
        f"{group}.endpoint.{name}_variable"
        for group in ("rollout", "relate.llm.rollout")
        for name in ("base_url", "key", "model")
    ),
)
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


def faults(cfg: DictConfig) -> Iterator[str]:
    """Yield a line for every value of a composed config that is out of bounds."""
    if cfg.data.source not in SOURCES:
        yield f"data.source={cfg.data.source} is none of {', '.join(SOURCES)}"
    if not cfg.results:
        yield "results is empty; give it a folder"
    yield from _model(cfg.model)
    for stage in ("sft", "grpo"):
        yield from _optimiser(f"{stage}.optimiser", cfg[stage].optimiser)
        yield from _sequence(f"{stage}.optimiser.sequence_parallel", cfg[stage].optimiser.sequence_parallel, cfg)
    for key, (least, greatest) in LIMITS.items():
        value = OmegaConf.select(cfg, key)
        if not least <= value <= greatest:  # which nan is not
            yield f"{key}={value} is not {_range(least, greatest)}"
    if cfg.processes > 0:  # which resources follow
        for stage, need in cfg.resources.items():
            yield from _need(stage, need)
    for key, known in CHOICES.items():
        if (name := OmegaConf.select(cfg, key)) not in known:
            yield f"{key}={name} is unknown: choose {', '.join(known[:-1])} or {known[-1]}"
    yield from _tracking(cfg.tracking)
    for key in VARIABLES:
        name = OmegaConf.select(cfg, key)  # none where relate asks no model
        if name is not None and not VARIABLE.fullmatch(name):
            yield f"{key} is not the name of an environment variable, in capitals, such as OPENAI_API_KEY"
    for key in FINITE:
        number = OmegaConf.select(cfg, key)
        if number is not None and not math.isfinite(number):  # none where the schema allows it
            yield f"{key}={number} is not a finite number"


def _model(model: DictConfig) -> Iterator[str]:
    if model.dtype not in DTYPES:  # float16 overflows without a scaled loss
        yield f"model.dtype={model.dtype} is none of {', '.join(DTYPES)}"
    if not 0 < model.lora.alpha < math.inf:
        yield f"model.lora.alpha={model.lora.alpha} is not a number above 0"
    if model.lora.dropout != 0:
        yield f"model.lora.dropout={model.lora.dropout} is not 0: with dropout the ratio is not of the sampling policy"


def _need(stage: str, need: DictConfig) -> Iterator[str]:
    for key, least in (("threads", 1), ("mem_mb", 1), ("runtime", 1), ("gpu", 0)):
        if need[key] < least:
            yield f"resources.{stage}.{key}={need[key]} is not {least} or more"


def _tracking(tracking: DictConfig) -> Iterator[str]:
    if tracking.wandb not in MODES:
        yield f"tracking.wandb={tracking.wandb} is unknown: choose offline, online or disabled (WANDB_MODE sets it)"
    for name in tracking.upload:
        if name not in STAGES:
            yield f"tracking.upload={name} is no stage: choose of {', '.join(STAGES)}"


def _optimiser(name: str, optimiser: DictConfig) -> Iterator[str]:
    for key in ("lr", "max_grad_norm"):
        if not 0 < optimiser[key] < math.inf:
            yield f"{name}.{key}={optimiser[key]} is not a number above 0"
    if not 0 <= optimiser.weight_decay < math.inf:
        yield f"{name}.weight_decay={optimiser.weight_decay} is not a number from 0"
    if not 0 <= optimiser.final_lr <= 1:
        yield f"{name}.final_lr={optimiser.final_lr} is not from 0 to 1"
    if optimiser.warmup_steps < 0:
        yield f"{name}.warmup_steps={optimiser.warmup_steps} is not 0 or more"
    if len(optimiser.betas) != 2 or not all(0 <= beta < 1 for beta in optimiser.betas):
        yield f"{name}.betas={list(optimiser.betas)} is not two numbers from 0 to below 1"


def _sequence(key: str, size: int, cfg: DictConfig) -> Iterator[str]:
    """A row is split over `size` processes, of one machine or of several whole ones."""
    if size < 1:
        yield f"{key}={size} is not 1 or more"
    elif size > 1 and cfg.model.forward == "padded":
        yield f"{key}={size} splits packed rows, and model.forward is padded; set one to 1 or the other to packed"
    elif (larger := max(size, cfg.processes)) % (min(size, cfg.processes) or larger):
        yield f"{key}={size} does not divide processes={cfg.processes}"
    elif cfg.processes * cfg.nodes % size:
        yield f"{key}={size} does not divide processes x nodes = {cfg.processes * cfg.nodes}"


def _range(least: float, greatest: float) -> str:
    return f"{least} or more" if greatest == math.inf else f"from {least} to {greatest}"
