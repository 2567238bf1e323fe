"""Values that the types of the schema let through and that make no sense."""

import math
from collections.abc import Iterator

from omegaconf import DictConfig, OmegaConf

SOURCES = ("laptop", "local", "gharchive")
# The least and the greatest value of a key.
LIMITS = {
    "memory_mb": (150, math.inf),  # DuckDB needs that much for its own
    "processes": (1, math.inf),
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
    "rollout.batch_rows": (1, math.inf),
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
    "reward.workers": (1, math.inf),
    "reward.cache_size": (0, math.inf),
    "reward.max_unscorable": (0, 1),
}


def faults(cfg: DictConfig) -> Iterator[str]:
    """Yield a line for every value of a composed config that is out of bounds."""
    if cfg.data.source not in SOURCES:
        yield f"data.source={cfg.data.source} is none of {', '.join(SOURCES)}"
    if not cfg.results:
        yield "results is empty; give it a folder"
    for key, (least, greatest) in LIMITS.items():
        value = OmegaConf.select(cfg, key)
        if not least <= value <= greatest:  # which nan is not
            yield f"{key}={value} is not {_range(least, greatest)}"


def _range(least: float, greatest: float) -> str:
    return f"{least} or more" if greatest == math.inf else f"from {least} to {greatest}"
