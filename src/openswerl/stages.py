"""The stages: what each may read of the config, its axes, and where its results lie. Imports no torch."""

from dataclasses import dataclass

from omegaconf import DictConfig

GATE = ("gold", "none")
MODES = {"gold": "gate", "regrade": "regrade"}  # of evaluate, which judge no policy: the names of their results
# The wildcards of the stages that have some; no other stage depends on those of AXIS_NAMES.
AXES = {
    "archive": ("span",),
    "preflight": ("rollout", "reward", "seed"),
    "sft": ("sft", "seed"),
    "grpo": ("reward", "seed"),
    "answer": ("policy", "seed", "part"),
    "evaluate": ("policy", "seed"),
    "ood": ("policy", "seed"),
}
VARIANT, DEFAULT, A_VARIANT = "variant", "default", r"/variants/[\w.-]+"
AXIS_NAMES = ("span", "sft", "reward", "policy", "seed", "part")


@dataclass(frozen=True)
class Stage:
    """`reads`: keys in the digest. `untracked`: keys that say how, not what. Bump `version` as the meaning changes.

    `files`: keys that name files whose content belongs to the digest. `makes`: stages before this one that its script
    runs too, if they are not done. `unread`: folders of results before it that it does not look into.
    """

    reads: tuple[str, ...]
    untracked: tuple[str, ...] = ()
    version: int = 1
    files: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


POLICY = ("model", "prompt", "edits")
RECORD = ("rollout.replay",)
JUDGED = (*RECORD, "evaluate.rows", "evaluate.logs")
# What ood reads of the model: not the lengths, as it has its own.
WEIGHTS = tuple(f"model.{key}" for key in ("name", "path", "revision", "dtype", "prompt", "forward", "lora"))
# The suites of ood with rows of their own; the others share these.
OOD_SUITES = ("humaneval", "bigcodebench_instruct", "cruxeval_input", "math_strict", "mmlu")
# What sft reads of the reward: whether an answer is right, not what a malformed one earns.
SCORING = ("name", "kind", "options", "time_limit_s", "max_unscorable")

STAGES = {
    "laptop": Stage(("data.world",)),
    "archive": Stage(("data.source", "data.path", "data.start", "data.end", "span"), ("network",)),
    "crawl": Stage(("data", "crawl"), ("network", "memory_mb"), makes=("archive",)),
    "curate": Stage(("curate",), ("memory_mb",), files=("curate.benchmark_rows",)),
    "relate": Stage(("data", "relate"), ("serving",)),
    "preflight": Stage(
        (*POLICY, "rollout", "grpo", "reward", "preflight", "seed"), ("serving", "processes", "nodes"), files=RECORD
    ),
    "sft": Stage(
        (*POLICY, "rollout", "sft", *(f"reward.{key}" for key in SCORING), "seed"),
        ("serving", "processes", "nodes", "reward.workers", "reward.cache_size"),
        files=RECORD,
    ),
    "grpo": Stage((*POLICY, "rollout", "grpo", "reward", "seed"), ("serving", "processes", "nodes")),
    "answer": Stage((*POLICY, "rollout", "relate", "evaluate", "policy", "seed", "part"), ("serving",), files=JUDGED),
    "evaluate": Stage(
        (*POLICY, "rollout", "relate", "evaluate", "policy", "seed"),
        ("serving", "parts"),
        version=2,
        files=JUDGED,
    ),
    "ood": Stage(
        (*WEIGHTS, "rollout", "ood", "policy", "seed"),
        ("serving",),
        files=(*RECORD, *(f"ood.suites.{name}.rows" for name in OOD_SUITES)),
    ),
    "report": Stage(("report", "grid", "scale"), version=2, unread=("policy",)),
}

DATA_STAGES = ("archive", "crawl", "curate", "relate")


def relative_folder(stage: str) -> str:
    """Return the path grammar of a stage below `<results>/<scale>`, with {axis} fields."""
    if stage in DATA_STAGES:
        return "/".join(["data", stage, *(f"{{{axis}}}" for axis in AXES.get(stage, ()))])
    return "/".join([stage, *(f"seed{{{axis}}}" if axis == "seed" else f"{{{axis}}}" for axis in AXES.get(stage, ()))])


def axes(cfg: DictConfig) -> dict[str, object]:
    """Return this config's place on every wildcard axis."""
    policy = MODES.get(cfg.evaluate.mode, cfg.policy)
    own = {"sft": cfg.sft.name, "reward": cfg.reward.name, "policy": policy, "seed": cfg.seed}
    return own | {"span": cfg.span, "rollout": cfg.rollout.name, "part": cfg.part}
