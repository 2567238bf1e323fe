"""The data stages: where the input comes from, filters, seeds, and related files."""

from dataclasses import dataclass, field

from omegaconf import MISSING

from openswerl.schema.sampling import Rollout
from openswerl.schema.training import Model


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
