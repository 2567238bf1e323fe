"""The paper's numbers (arXiv 2502.18449 v2), no error bars printed; SWE-bench Verified, n = 500, but for Table 3."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperRow:
    """Correct format and repair (resolved) in percent, greedy decoding."""

    model: str
    format: float
    resolved: float
    source: str


@dataclass(frozen=True)
class PaperMini:
    """Resolved by Agentless Mini in percent: 500 repair samples, 30 reproduction tests, one patch submitted."""

    model: str
    resolved: float
    source: str


INSTANCES = 500
ROWS = {
    "base": PaperRow("Llama-3.3-70B-Instruct", 12.2, 5.4, "Table 2"),
    "sft": PaperRow("Llama3-SWE-SFT-70B", 96.2, 29.6, "Table 2"),
    "grpo-continuous": PaperRow("Llama3-SWE-RL-70B", 95.6, 34.8, "Table 2"),
    "grpo-discrete": PaperRow("discrete reward", 94.2, 29.0, "Figure 5"),
}
"""The paper's counterpart of each policy."""

FUNNEL = {"aggregated": 24_000_000, "unique, filtered": 11_000_000, "RL seeds": 273_000}
"""Pull requests after each stage of the paper's data (section 2, appendix A); the first two are printed as 24M, 11M."""

BASE_VOTE = PaperRow("Llama-3.3-70B-Instruct, majority vote of 20 samples at T=0.6", 44.6, 16.6, "Table 2")

MINI = {
    "sft": PaperMini("Llama3-SWE-SFT-70B", 36.2, "Table 1"),
    "grpo-continuous": PaperMini("Llama3-SWE-RL-70B", 41.0, "Table 1"),
}
"""Agentless Mini, the policies of which the paper prints a number."""

SCALING = {
    "repair": {20: 33.6, 40: 35.6, 80: 37.0, 160: 40.0, 320: 40.6, 500: 41.0},
    "tests": {1: 38.8, 5: 39.8, 10: 40.6, 20: 41.0, 30: 41.0},
}
"""Figure 4: resolved by Llama3-SWE-RL-70B over repair samples (30 tests) and over test samples (500 repairs)."""

OOD_POLICIES = ("base", "sft", "grpo-continuous")
_OOD = {
    "humaneval": (76.2, 73.2, 79.9),
    "bigcodebench_instruct": (28.4, 25.7, 28.4),
    "bigcodebench_complete": (29.1, 24.3, 29.1),
    "cruxeval_input": (60.5, 68.4, 71.6),
    "cruxeval_output": (61.9, 75.1, 75.5),
    "math_strict": (63.2, 54.0, 73.7),
    "math_lenient": (70.9, 71.7, 73.7),
    "mmlu": (86.49, 85.26, 86.82),
}
OOD = {suite: dict(zip(OOD_POLICIES, numbers, strict=True)) for suite, numbers in _OOD.items()}
"""Table 3: zero-shot greedy pass@1 in percent; MMLU is the mean over its categories. No n and no intervals printed."""
