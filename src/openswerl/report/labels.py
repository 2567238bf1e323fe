"""What the reader sees for a policy, a split, a rate."""

from openswerl.stages import GATE

NAMES = {
    "base": "Base",
    "sft": "SFT",
    "sft-gold": "SFT gold",
    "sft-rejection": "SFT rejection",
    "gold": "Gold patch",
    "none": "No patch",
}
NOTES = {
    "sft": "hinted demonstrations",
    "sft-gold": "upper bound, not in the paper",
    "sft-rejection": "own answers kept by reward, not in the paper",
    "gold": "gate: must resolve all",
    "none": "gate: must resolve none",
}
SPLITS = {
    "gate": "gate split",
    "templates": "unseen-template split",
    "verified": "SWE-bench Verified",
}
SPLIT_NOTES = {
    "gate": "unseen repositories and names, seen kinds of bug",
    "templates": "functions of kinds never trained on",
}
PREDICTORS = {
    "static": "All evidence",
    "imports": "Imports",
    "cochange": "Co-change",
    "path": "Paths",
    "bm25": "Words (BM25)",
    "llm": "Model",
}
CHOICES = {
    "mini": "All stages",
    "mini-regression": "Regression, vote",
    "mini-reproduction": "Reproduction, vote",
    "mini-majority": "Vote alone",
}
KINDS = {"repository": "Repository", "difficulty": "Difficulty", "files": "Oracle files"}
DECODINGS = {"greedy": "greedy, oracle files", "mini": "Agentless Mini"}
OOD = {
    "humaneval": "HumanEval+",
    "bigcodebench_instruct": "BigCodeBench-Hard (I)",
    "bigcodebench_complete": "BigCodeBench-Hard (C)",
    "cruxeval_input": "CRUXEval-I",
    "cruxeval_output": "CRUXEval-O",
    "math_strict": "MATH (strict)",
    "math_lenient": "MATH (lenient)",
    "mmlu": "MMLU",
}
OOD_NOTES = {
    "math_strict": "the answer line alone",
    "math_lenient": "a boxed answer too",
    "mmlu": "mean over subjects",
}
MINUS = "\u2212"


def parted(name: str) -> tuple[str, str]:
    """Return the policy or reward of a name, and its variant, empty if it has none."""
    plain, _, variant = name.partition("@")
    return plain, variant


def policy(name: str) -> str:
    """Return the printed name of a policy."""
    plain, variant = parted(name)
    printed = NAMES.get(plain) or f"GRPO {plain.removeprefix('grpo-')}"
    return f"{printed}, {variant}" if variant else printed


def is_gate(name: str) -> bool:
    """Whether it is gold or none, in whatever variant."""
    return parted(name)[0] in GATE


def note(name: str) -> str:
    """Return the remark below a policy's name, empty if it needs none."""
    name, variant = parted(name)
    if variant and not is_gate(name):
        return "variant"
    return NOTES.get(name, "reward ablation" if name.startswith("grpo-") and name != "grpo-continuous" else "")


def split(name: str) -> str:
    """Return the printed name of a split."""
    return SPLITS.get(name, name)


def split_note(name: str) -> str:
    """Return the remark below a split's name, empty if it needs none."""
    return SPLIT_NOTES.get(name, "")


def suite(name: str, rows: str | None) -> str:
    """Return the printed name of an out-of-domain suite; items of our own are no benchmark."""
    return OOD[name] if rows else f"{OOD[name]} format, our items"


def predictor(name: str) -> str:
    """Return the printed name of a predictor of related files."""
    return PREDICTORS.get(name, name)


def capital(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def reward(value: float) -> str:
    """Return a reward with three decimals."""
    return f"{value:.3f}".replace("-", MINUS)


def rewarded(name: str) -> str:
    """Return the printed name of the reward of a training, and of its variant if it is one."""
    plain, variant = parted(name)
    return f"{plain} reward ({variant})" if variant else f"{plain} reward"


def percent(rate: float) -> str:
    """Return a rate as a percentage with one decimal, without the sign %."""
    return f"{100 * rate:.1f}"


def points(difference: float) -> str:
    """Return a difference in percentage points, signed."""
    text = f"{100 * abs(difference):.1f}"
    if text == "0.0":
        return text
    return (MINUS if difference < 0 else "+") + text


def probability(p: float) -> str:
    """Return a p-value as a reader expects it."""
    return "<\u202f0.001" if p < 0.001 else f"=\u202f{p:.3f}"


def duration(seconds: float) -> str:
    """Return a time in hours, minutes and whole seconds."""
    minutes, rest = divmod(round(seconds), 60)
    parts = [f"{minutes // 60:,} h"] * (minutes >= 60) + [f"{minutes % 60} min"] * (minutes > 0)
    return " ".join([*parts, f"{rest} s"])
