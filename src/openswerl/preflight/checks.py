"""What must hold before any sample is worth looking at. One check that fails does not hide the others."""

from collections.abc import Callable, Sequence

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt, prompt_of
from openswerl.preflight.agreement import Agreement
from openswerl.records import Instance
from openswerl.reward.gate import Gate
from openswerl.rollout import Sampler

TELLING = 12  # letters: a shorter line may stand in any file
SHOWN = 3


class Check(msgspec.Struct, frozen=True):
    """One check; `passed` is None where it could not be told."""

    name: str
    passed: bool | None
    detail: str


def gold_check(gate: Gate) -> Check:
    """Whether the golden answers earn 1.0: if not, the reward or the data is wrong."""
    total = len(gate.passed) + len(gate.failed)
    named = ", ".join(f"{name} ({reason})" for name, reason in gate.failed[:SHOWN])
    detail = f"{len(gate.passed)} of {total} golden answers earn 1.0" + (f"; not so: {named}" if named else "")
    return Check("gold patch scores 1.0", not gate.failed, detail)


def fit_check(sampler: Sampler, instances: Sequence[Instance], cfg: DictConfig) -> tuple[Check, list[Instance], float]:
    """Whether prompts are within `model.max_prompt_tokens`; also the instances that are, and the share that is not."""
    lengths = [sampler.count(prompt_of(instance, cfg)) for instance in instances]
    fitting = [one for one, length in zip(instances, lengths, strict=True) if length <= sampler.max_prompt_tokens]
    about = "" if sampler.tokenizer else " (estimated: no tokenizer is named)"
    share, limit = 1 - len(fitting) / len(instances), sampler.max_prompt_tokens
    counted = f"{len(fitting)} of {len(instances)} prompts have at most {limit} tokens"
    passed = share <= cfg.preflight.rules.max_too_long
    return Check("prompts fit", passed, f"{counted}, the longest {max(lengths)}{about}"), fitting, share


def tokenizer_check(compare: Callable[[], Agreement], *, needed: bool) -> Check:
    """Whether rollout and policy read a prompt as the same tokens; `compare` tells, or raises.

    Where that is not `needed`, as only texts are taken from the backend, a difference is told and fails nothing.
    """
    try:
        return Check("tokenizers agree", *compare())
    except UserError as error:
        if needed:
            return Check("tokenizers agree", False, str(error))
        return Check("tokenizers agree", None, f"only grpo needs that, under rollout.off_policy=true; not so: {error}")


def leak_check(instances: Sequence[Instance], cfg: DictConfig) -> Check:
    """Whether a prompt shows a line of the answer that is neither in the issue nor in the files."""
    found = [(one.instance_id, line) for one in instances for line in leaked(one, text_of(prompt_of(one, cfg)))]
    detail = f"none of {len(instances)} prompts shows a line of its answer"
    if found:
        name, line = found[0]
        detail = f"{len(found)} lines of answers are shown, as in {name}: {line!r}"
    return Check("no judge data in the prompt", not found, detail)


def leaked(instance: Instance, prompt: str) -> list[str]:
    """Return the new lines of the oracle that the prompt shows without having them from the issue or the files."""
    task = instance.task
    known = "\n".join([task.problem_statement, *task.context.values()])
    lines = {line.strip() for text in instance.oracle.values() if text is not None for line in text.splitlines()}
    return sorted(line for line in lines if len(line) >= TELLING and line not in known and line in prompt)


def text_of(prompt: Prompt) -> str:
    """Return all that a prompt says."""
    return prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)
