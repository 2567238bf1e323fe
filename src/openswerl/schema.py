"""The shape of conf/: every key and its type. Values live in conf/ alone; a key missing here is refused there."""

from dataclasses import dataclass, field

from omegaconf import MISSING


@dataclass
class World:
    """Size of the generated laptop world."""

    seed: int = MISSING
    repositories: int = MISSING
    fixes_per_repository: int = MISSING
    gate_repositories: int = MISSING
    template_repositories: int = MISSING
    fixes_per_heldout_repository: int = MISSING
    untidy: bool = MISSING


@dataclass
class Data:
    """Where the input comes from; read by laptop and crawl."""

    source: str = MISSING
    path: str | None = None
    clones: str | None = None
    world: World = field(default_factory=World)


@dataclass
class Curate:
    """Filters of paper 2 and appendix A, and the choice of RL seeds."""

    bot_keywords: list[str] = MISSING
    bot_names: list[str] = MISSING
    max_changed_files: int = MISSING
    max_diff_bytes: int = MISSING
    generated_files: list[str] = MISSING
    benchmark_repositories: list[str] = MISSING
    code_suffixes: list[str] = MISSING
    max_seed_files: int = MISSING
    require_issue: bool = MISSING


@dataclass
class Relate:
    """How many relevant unchanged files to show, and how they are ranked."""

    predictor: str = MISSING
    max_files: int = MISSING
    max_bytes: int = MISSING
    include_tests: bool = MISSING
    history: int = MISSING


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


@dataclass
class Evaluate:
    """Repair with oracle files and execution of the tests (paper Table 2)."""

    benchmark: str = MISSING
    splits: dict[str, int] = MISSING
    related_files: int = MISSING
    samples: int = MISSING
    temperature: float = MISSING
    test_timeout_s: int = MISSING
    sandbox: str = MISSING
    reproduction_tests: int = MISSING


@dataclass
class Report:
    """What the tables and the page show."""

    title: str = MISSING
    confidence: float = MISSING
    resamples: int = MISSING
    bootstrap_seed: int = MISSING
    shown_samples: int = MISSING
    benchmark: str = MISSING
    splits: dict[str, int] = MISSING
    temperature: float = MISSING
    model: str = MISSING
    source: str = MISSING
    untidy: bool = MISSING


@dataclass
class Tracking:
    """metrics.jsonl is always written; W&B mirrors it."""

    wandb: str = MISSING
    project: str = MISSING


@dataclass
class Grid:
    """The wildcards that Snakemake expands; `baselines` are the policies evaluated besides grpo-<reward>."""

    reward: list[str] = MISSING
    seed: list[int] = MISSING
    baselines: list[str] = MISSING


@dataclass
class Config:
    """The whole configuration."""

    scale: str = MISSING
    seed: int = MISSING
    policy: str = MISSING
    grid: Grid = field(default_factory=Grid)
    data: Data = field(default_factory=Data)
    curate: Curate = field(default_factory=Curate)
    relate: Relate = field(default_factory=Relate)
    model: Model = field(default_factory=Model)
    rollout: Rollout = field(default_factory=Rollout)
    sft: Sft = field(default_factory=Sft)
    grpo: Grpo = field(default_factory=Grpo)
    reward: Reward = field(default_factory=Reward)
    evaluate: Evaluate = field(default_factory=Evaluate)
    report: Report = field(default_factory=Report)
    tracking: Tracking = field(default_factory=Tracking)
    results: str = MISSING
    run_dir: str = MISSING
