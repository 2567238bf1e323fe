"""Evaluation, out-of-domain suites, report and tracking."""

from dataclasses import dataclass, field

from omegaconf import MISSING


@dataclass
class Sampling:
    """How many samples of one step are drawn for an instance."""

    samples: int = MISSING
    temperature: float = MISSING


@dataclass
class ReproductionTests(Sampling):
    """`max_tests`: how many of the programs that show the issue are kept."""

    max_tests: int = MISSING


@dataclass
class RegressionTests:
    """Where they are from (`selection`: honest or paper_compat), and how often they must pass on the base (`runs`).

    `exclude`: the model may take out tests that a right fix changes.
    """

    selection: str = MISSING
    max_files: int = MISSING
    runs: int = MISSING
    exclude: bool = MISSING


@dataclass
class Rerank:
    """Which tests choose between patches before the vote."""

    regression: bool = MISSING
    reproduction: bool = MISSING


@dataclass
class AgentlessMini:
    """Localisation, repair, tests and reranking (paper 3.1, appendix B), on the first instances of `splits`."""

    splits: dict[str, int] = MISSING
    curves: int = MISSING
    rows: int = MISSING
    localisation: Sampling = field(default_factory=Sampling)
    repair: Sampling = field(default_factory=Sampling)
    reproduction: ReproductionTests = field(default_factory=ReproductionTests)
    regression: RegressionTests = field(default_factory=RegressionTests)
    rerank: Rerank = field(default_factory=Rerank)


@dataclass
class Containers:
    """Of docker and podman: containers at once, whether pulled images are removed, and a socket (DOCKER_HOST)."""

    workers: int = MISSING
    prune: bool = MISSING
    host: str | None = MISSING


@dataclass
class Evaluate:
    """Repair with oracle files and execution of the tests (paper Table 2), and Agentless Mini."""

    benchmark: str = MISSING
    rows: str | None = MISSING
    mode: str = MISSING
    backend: str = MISSING
    clones: str | None = MISSING
    instances: list[str] = MISSING
    gate_runs: int = MISSING
    max_invalid: float = MISSING
    splits: dict[str, int] = MISSING
    related_files: int = MISSING
    samples: int = MISSING
    temperature: float = MISSING
    test_timeout_s: int = MISSING
    sandbox: str = MISSING
    environments: str | None = MISSING
    container: Containers = field(default_factory=Containers)
    logs: str | None = MISSING
    mini: AgentlessMini = field(default_factory=AgentlessMini)


@dataclass
class OodSuite:
    """Where a suite's rows are (null: our own), the first how many count (0: all), and the Python of its programs."""

    rows: str | None = MISSING
    subset: str | None = MISSING
    split: str = MISSING
    instances: int = MISSING
    python: str | None = MISSING


@dataclass
class Ood:
    """The out-of-domain suites (paper Table 3) by name, and the lengths of prompts and answers in tokens."""

    name: str = MISSING
    max_prompt_tokens: int = MISSING
    max_response_tokens: int = MISSING
    test_timeout_s: int = MISSING
    sandbox: str = MISSING
    suites: dict[str, OodSuite] = MISSING


@dataclass
class Report:
    """What the tables and the page show."""

    title: str = MISSING
    confidence: float = MISSING
    resamples: int = MISSING
    bootstrap_seed: int = MISSING
    shown_samples: int = MISSING
    shown_instances: int = MISSING
    benchmark: str = MISSING
    splits: dict[str, int] = MISSING
    temperature: float = MISSING
    model: str = MISSING
    source: str = MISSING
    untidy: bool = MISSING


@dataclass
class Tracking:
    """metrics.jsonl is always written; W&B and TensorBoard mirror it.

    `upload`: the stages whose files W&B gets; of the others it gets names, sizes and places.
    """

    wandb: str = MISSING
    project: str = MISSING
    upload: list[str] = MISSING
    tensorboard: bool = MISSING
