"""The shape of conf/: every key and its type. Values live in conf/ alone; a key missing here is refused there."""

from dataclasses import dataclass, field

from omegaconf import MISSING

from openswerl.schema.data import Crawl, Curate, Data, Network, Relate
from openswerl.schema.planning import Plan
from openswerl.schema.resources import Resources
from openswerl.schema.results import Evaluate, Ood, Report, Tracking
from openswerl.schema.sampling import Preflight, Rollout, Serving
from openswerl.schema.training import Edits, Grpo, Model, Prompt, Reward, Sft


@dataclass
class Grid:
    """The wildcards that Snakemake expands; `baselines` are the policies evaluated besides grpo-<reward>.

    `variant`: options of conf/variant/, each a change that some results share and others do not.
    `ood` names those of all these that also answer the out-of-domain suites.
    """

    reward: list[str] = MISSING
    seed: list[int] = MISSING
    variant: list[str] = MISSING
    baselines: list[str] = MISSING
    ood: list[str] = MISSING


@dataclass
class Config:
    """The whole configuration."""

    scale: str = MISSING
    seed: int = MISSING
    policy: str = MISSING
    span: str = MISSING
    part: str = MISSING
    parts: int = MISSING
    memory_mb: int = MISSING
    processes: int = MISSING
    nodes: int = MISSING
    resources: Resources = field(default_factory=Resources)
    grid: Grid = field(default_factory=Grid)
    data: Data = field(default_factory=Data)
    network: Network = field(default_factory=Network)
    crawl: Crawl = field(default_factory=Crawl)
    curate: Curate = field(default_factory=Curate)
    relate: Relate = field(default_factory=Relate)
    model: Model = field(default_factory=Model)
    prompt: Prompt = field(default_factory=Prompt)
    edits: Edits = field(default_factory=Edits)
    rollout: Rollout = field(default_factory=Rollout)
    serving: Serving = field(default_factory=Serving)
    preflight: Preflight = field(default_factory=Preflight)
    sft: Sft = field(default_factory=Sft)
    grpo: Grpo = field(default_factory=Grpo)
    reward: Reward = field(default_factory=Reward)
    evaluate: Evaluate = field(default_factory=Evaluate)
    ood: Ood = field(default_factory=Ood)
    report: Report = field(default_factory=Report)
    tracking: Tracking = field(default_factory=Tracking)
    plan: Plan = field(default_factory=Plan)
    results: str = MISSING
    run_dir: str = MISSING
