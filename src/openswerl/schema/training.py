"""Policies, samples, and the two ways of training."""

from dataclasses import dataclass, field

from omegaconf import MISSING


@dataclass
class Model:
    """The policy's starting point and its prompt form."""

    name: str = MISSING
    path: str | None = None
    revision: str | None = None
    dtype: str = MISSING
    prompt: str = MISSING
    max_prompt_tokens: int = MISSING
    max_response_tokens: int = MISSING


@dataclass
class Rollout:
    """How samples are drawn."""

    backend: str = MISSING
    batch_rows: int = MISSING


@dataclass
class Optimiser:
    """AdamW with linear warm-up and linear decay to `final_lr` times the peak."""

    lr: float = MISSING
    warmup_steps: int = MISSING
    final_lr: float = MISSING
    betas: list[float] = MISSING
    weight_decay: float = MISSING
    max_grad_norm: float = MISSING
    zero_stage: int = MISSING


@dataclass
class Sft:
    """Supervised baseline (paper 3.1, appendix C)."""

    name: str = MISSING
    demonstrations: str = MISSING
    prompts: int = MISSING
    samples_per_prompt: int = MISSING
    temperature: float = MISSING
    steps: int = MISSING
    batch_size: int = MISSING
    optimiser: Optimiser = field(default_factory=Optimiser)


@dataclass
class Grpo:
    """Group relative policy optimisation (paper Eq. 2)."""

    steps: int = MISSING
    prompts_per_step: int = MISSING
    group_size: int = MISSING
    temperature: float = MISSING
    clip: float = MISSING
    kl_coefficient: float = MISSING
    unfinished_reward: float = MISSING
    checkpoint_every: int = MISSING
    optimiser: Optimiser = field(default_factory=Optimiser)


@dataclass
class Reward:
    """The ablation axis (paper Eq. 1, section 3.6)."""

    name: str = MISSING
    kind: str = MISSING
    compat: str = MISSING
    format_penalty: float = MISSING
    time_limit_s: float = MISSING
    timeout_reward: float = MISSING
