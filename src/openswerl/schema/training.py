"""Policies, and the two ways of training."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class Lora:
    """Low-rank adapters beside the linear layers named in `targets`; rank 0 trains all weights instead."""

    rank: int = MISSING
    alpha: float = MISSING
    targets: list[str] = MISSING
    dropout: float = MISSING


@dataclass
class Model:
    """The policy's starting point, its prompt form, and how its rows are read in training."""

    name: str = MISSING
    path: str | None = None
    revision: str | None = None
    dtype: str = MISSING
    prompt: str = MISSING
    max_prompt_tokens: int = MISSING
    max_response_tokens: int = MISSING
    forward: str = MISSING
    lora: Lora = field(default_factory=Lora)


@dataclass
class Optimiser:
    """AdamW with linear warm-up and linear decay towards `final_lr` times the peak."""

    lr: float = MISSING
    warmup_steps: int = MISSING
    final_lr: float = MISSING
    betas: list[float] = MISSING
    weight_decay: float = MISSING
    max_grad_norm: float = MISSING
    zero_stage: int = MISSING
    offload: str = MISSING
    gradient_checkpointing: bool = MISSING
    sequence_parallel: int = MISSING


@dataclass
class Mix:
    """General chat data: a JSON Lines file of conversations, and its share of the documents."""

    path: str | None = None
    share: float = MISSING


@dataclass
class Sft:
    """Supervised baseline (paper 3.1, appendix C)."""

    name: str = MISSING
    demonstrations: str = MISSING
    prompts: int = MISSING
    samples_per_prompt: int = MISSING
    temperature: float = MISSING
    localisation: float = MISSING
    min_reward: float = MISSING
    held_out: float = MISSING
    mix: Mix = field(default_factory=Mix)
    steps: int = MISSING
    rows_per_step: int = MISSING
    row_tokens: int = MISSING
    evaluate_every: int = MISSING
    probe_prompts: int = MISSING
    checkpoint_every: int = MISSING
    checkpoints_kept: int = MISSING
    nonfinite_steps: int = MISSING
    optimiser: Optimiser = field(default_factory=Optimiser)


@dataclass
class Alarms:
    """When GRPO's flight recorder speaks up: `patience` is how many steps in a row a state must last."""

    patience: int = MISSING
    nonfinite_steps: int = MISSING
    max_kl: float = MISSING
    min_entropy: float = MISSING
    max_sampler_gap: float = MISSING
    unanswered_steps: int = MISSING
    max_truncated: float = MISSING


@dataclass
class Grpo:
    """Group relative policy optimisation (paper Eq. 2)."""

    name: str = MISSING
    steps: int = MISSING
    prompts_per_step: int = MISSING
    group_size: int = MISSING
    iterations: int = MISSING
    temperature: float = MISSING
    ratio: str = MISSING
    normalisation: str = MISSING
    advantage_scaling: str = MISSING
    clip_low: float = MISSING
    clip_high: float = MISSING
    kl_coefficient: float = MISSING
    kl_estimator: str = MISSING
    truncated: str = MISSING
    truncated_reward: float = MISSING
    zero_variance: str = MISSING
    resample_rounds: int = MISSING
    micro_batch_groups: int = MISSING
    checkpoint_every: int = MISSING
    checkpoints_kept: int = MISSING
    plot_every: int = MISSING
    alarms: Alarms = field(default_factory=Alarms)
    optimiser: Optimiser = field(default_factory=Optimiser)


@dataclass
class Reward:
    """The ablation axis (paper Eq. 1, section 3.6). `options` are the kind's own."""

    name: str = MISSING
    kind: str = MISSING
    format_penalty: float = MISSING
    options: dict[str, Any] = MISSING
    time_limit_s: float = MISSING
    timeout_reward: float | None = MISSING
    max_unscorable: float = MISSING
    workers: int = MISSING
    cache_size: int = MISSING


@dataclass
class Edits:
    """By which rules an answer is read and applied, in training and evaluation alike; see openswerl.edits.Rules."""

    name: str = MISSING
    refuse_marker_inside_block: bool = MISSING
    refuse_empty_search_on_file: bool = MISSING
    refuse_partial_line: bool = MISSING
    refuse_unreadable_patch: bool = MISSING
    forgive_line_ends: bool = MISSING
    forgive_dot_slash: bool = MISSING
    forgive_path_spaces: bool = MISSING
    forgive_missing_blank_line: bool = MISSING


@dataclass
class Prompt:
    """The form of answer that a policy is asked for: `search_replace` or `unidiff`."""

    name: str = MISSING
    answer: str = MISSING
