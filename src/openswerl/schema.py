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
    """Where the input comes from; read by laptop, archive and crawl."""

    source: str = MISSING
    path: str | None = None
    clones: str | None = None
    start: str | None = None
    end: str | None = None
    repositories: list[str] = field(default_factory=list)
    world: World = field(default_factory=World)


@dataclass
class Crawl:
    """How events and clones become pull requests."""

    enrich: bool = MISSING
    clone: bool = MISSING
    max_blob_bytes: int = MISSING
    max_diff_bytes: int = MISSING


@dataclass
class Network:
    """How to reach GH Archive and GitHub; what comes back does not depend on it."""

    archive_url: str = MISSING
    clone_url: str = MISSING
    api_url: str = MISSING
    token_variable: str = MISSING
    connections: int = MISSING
    attempts: int = MISSING
    timeout_s: float = MISSING
    max_wait_s: float = MISSING
    clone_timeout_s: float = MISSING


@dataclass
class Curate:
    """Steps of curate by group, and what each of them is told (paper 2, appendix A)."""

    filters: list[str] = MISSING
    groupings: list[str] = MISSING
    seeds: list[str] = MISSING
    benchmark_repositories: list[str] = MISSING
    benchmark_former_names: list[str] = MISSING
    benchmark_ids: list[int] = MISSING
    benchmark_forks: bool = MISSING
    benchmark_rows: list[str] = MISSING
    overlap_words: int = MISSING
    max_overlap: float = MISSING
    bot_types: list[str] = MISSING
    bot_suffixes: list[str] = MISSING
    bot_names: list[str] = MISSING
    bot_keywords: list[str] = MISSING
    bot_whole_tokens: bool = MISSING
    sync_titles: list[str] = MISSING
    max_changed_files: int = MISSING
    max_diff_bytes: int = MISSING
    lock_files: list[str] = MISSING
    generated_files: list[str] = MISSING
    vendored_files: list[str] = MISSING
    generated_marks: list[str] = MISSING
    version_files: list[str] = MISSING
    max_line: int = MISSING
    licences: list[str] = MISSING
    keep_unknown_licence: bool = MISSING
    min_shingles: int = MISSING
    min_similarity: float = MISSING
    require_issue: bool = MISSING
    bug_labels: list[str] = MISSING
    feature_labels: list[str] = MISSING
    bug_words: list[str] = MISSING
    fix_words: list[str] = MISSING
    feature_titles: list[str] = MISSING
    feature_phrases: list[str] = MISSING
    drop_labels: list[str] = MISSING
    docs_files: list[str] = MISSING
    test_files: list[str] = MISSING
    ci_files: list[str] = MISSING
    code_suffixes: list[str] = MISSING
    all_code: bool = MISSING
    max_seed_files: int = MISSING


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
class RelateModel:
    """The model that names related files (paper 2); not the policy's. Sizes are bytes of the prompt's parts."""

    model: Model = field(default_factory=Model)
    rollout: Rollout = field(default_factory=Rollout)
    max_tree_bytes: int = MISSING
    max_description_bytes: int = MISSING


@dataclass
class Relate:
    """How many relevant unchanged files to show, and how they are chosen."""

    predictor: str = MISSING
    max_files: int = MISSING
    max_bytes: int = MISSING
    include_tests: bool = MISSING
    history: int = MISSING
    llm: RelateModel | None = None


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
    span: str = MISSING
    memory_mb: int = MISSING
    grid: Grid = field(default_factory=Grid)
    data: Data = field(default_factory=Data)
    network: Network = field(default_factory=Network)
    crawl: Crawl = field(default_factory=Crawl)
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
