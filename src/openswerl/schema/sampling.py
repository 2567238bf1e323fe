"""Where samples come from, how that is reached, and what is looked at before training."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class Endpoint:
    """A model behind an OpenAI-compatible address, and the environment variables that say what is not set here."""

    base_url: str | None = None
    base_url_variable: str = MISSING
    key_variable: str = MISSING
    model: str | None = None
    model_variable: str = MISSING
    tokenizer: str | None = None
    token_ids: bool = MISSING
    limit_key: str = MISSING
    send_seed: bool = MISSING
    extra: dict[str, Any] = MISSING


@dataclass
class Engine:
    """vLLM: `mode` is colocated (in the training process) or server (a process of its own, started by the stage)."""

    mode: str = MISSING
    tensor_parallel: int = MISSING
    devices: str | None = None
    gpu_memory: float = MISSING
    eager: bool = MISSING
    max_gap: float = MISSING


@dataclass
class Rollout:
    """How samples are drawn; `stop` is a closing tag that ends a sample, as an end-of-sequence token does.

    `stale`: what to do with samples of another version of the policy, refuse or correct. `off_policy`: a model that
    never receives weights may be trained on.
    """

    name: str = MISSING
    backend: str = MISSING
    batch_rows: int = MISSING
    stop: str | None = None
    stale: str = MISSING
    correction_cap: float = MISSING
    off_policy: bool = MISSING
    replay: str | None = None
    endpoint: Endpoint = field(default_factory=Endpoint)
    engine: Engine = field(default_factory=Engine)


@dataclass
class Serving:
    """How endpoints and engines are reached; what comes back does not depend on it."""

    connections: int = MISSING
    attempts: int = MISSING
    connect_timeout_s: float = MISSING
    timeout_s: float = MISSING
    total_timeout_s: float = MISSING
    max_wait_s: float = MISSING
    stream: bool = MISSING
    folder: str = MISSING
    cache: bool = MISSING
    record: bool = MISSING
    debug: bool = MISSING
    start_timeout_s: float = MISSING
    sync_timeout_s: float = MISSING


@dataclass
class Prices:
    """What a million tokens cost."""

    prompt: float | None = None
    completion: float | None = None


@dataclass
class VerdictRules:
    """The thresholds of the verdict on samples; shares are from 0 to 1."""

    ready_mean: float = MISSING
    partly_right: float = MISSING
    near_match: float = MISSING
    max_malformed: float = MISSING
    max_zero_variance: float = MISSING
    max_too_long: float = MISSING
    max_unfinished: float = MISSING
    max_unanswered: float = MISSING


@dataclass
class TrialRules:
    """The thresholds of the verdict on a short training run."""

    flat: float = MISSING
    malformed: float = MISSING
    far: float = MISSING
    rein: float = MISSING
    still: float = MISSING


@dataclass
class Preflight:
    """The check before training: how much of it, and by which rules the verdict is made."""

    instances: int = MISSING
    samples: int = MISSING
    repeats: int = MISSING
    confidence: float = MISSING
    prices: Prices = field(default_factory=Prices)
    rules: VerdictRules = field(default_factory=VerdictRules)
    trial: int = MISSING
    trial_rules: TrialRules = field(default_factory=TrialRules)
