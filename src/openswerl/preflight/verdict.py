"""Whether training is worth starting, in words, and by which rule."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from omegaconf import DictConfig

from openswerl.preflight.checks import Check
from openswerl.preflight.sampling import Sample


class Verdict(msgspec.Struct, frozen=True):
    """The word, whether to start, the rule that decided, and what to do."""

    word: str
    ready: bool
    rule: str
    advice: str

    def __str__(self) -> str:
        return f"{self.word}: {self.rule}. {self.advice}"


def judge(found: Mapping[str, Any], checks: Sequence[Check], rules: DictConfig, cause: str | None) -> Verdict:
    """Return the verdict of the first rule that holds; `cause` is the advice on the commonest format error."""
    samples = judge_samples(found, rules, cause)
    failed = "; ".join(f"{check.name}: {check.detail}" for check in checks if check.passed is False)
    if not failed:
        return samples
    return Verdict("mend first", False, f"not so: {failed}", f"The samples alone would say: {samples.word}")


def judge_samples(found: Mapping[str, Any], rules: DictConfig, cause: str | None) -> Verdict:
    """Return the verdict on what was sampled, whatever the checks say."""
    return (
        _unanswered(found, rules)
        or _context(found, rules)
        or _format(found, rules, cause)
        or _flat(found, rules)
        or _low(found, rules)
        or Verdict(
            "ready",
            True,
            f"the mean reward is {found['reward_mean']:.2f}, at least {rules.ready_mean} (preflight.rules.ready_mean)",
            "Start grpo",
        )
    )


def nearness(sample: Sample, rules: DictConfig) -> str:
    """Say in words what a reward means."""
    if sample.reason == "unfinished":
        return "cut off"
    if sample.reward is None:
        return "not answered, or not scored"
    if sample.reason:
        return "malformed"
    if sample.reward > rules.near_match:
        return "near match"
    return "partly right" if sample.reward >= rules.partly_right else "mostly wrong"


def _unanswered(found: Mapping[str, Any], rules: DictConfig) -> Verdict | None:
    if not found["scored"]:
        return Verdict("mend first", False, f"no sample was scored ({_reasons(found)})", "Look at the reasons below")
    if found["unanswered"]["share"] <= rules.max_unanswered:
        return None
    rule = f"{_of(found['unanswered'])} samples did not come or could not be scored ({_reasons(found)})"
    return Verdict("mend first", False, _above(rule, "max_unanswered", rules), "Look at the reasons below")


def _context(found: Mapping[str, Any], rules: DictConfig) -> Verdict | None:
    if found["too_long"] > rules.max_too_long:
        rule = _above(f"{found['too_long']:.0%} of the prompts do not fit", "max_too_long", rules)
        return Verdict("context too long", False, rule, "Raise model.max_prompt_tokens, or lower relate.max_bytes")
    if found["unfinished"]["share"] > rules.max_unfinished:
        rule = _above(f"{_of(found['unfinished'])} answers are cut off", "max_unfinished", rules)
        return Verdict("context too long", False, rule, "Raise model.max_response_tokens")
    return None


def _format(found: Mapping[str, Any], rules: DictConfig, cause: str | None) -> Verdict | None:
    if found["malformed"]["share"] <= rules.max_malformed:
        return None
    rule = _above(f"{_of(found['malformed'])} answers are malformed", "max_malformed", rules)
    return Verdict("fix the format first", False, rule, f"Mostly: {cause or 'see the reasons'}")


def _flat(found: Mapping[str, Any], rules: DictConfig) -> Verdict | None:
    share = found["zero_variance"]["share"]
    if share is None or share <= rules.max_zero_variance:
        return None
    rule = _above(f"{_of(found['zero_variance'])} groups earn one reward throughout", "max_zero_variance", rules)
    return Verdict("reward too flat", False, rule, "Raise grpo.group_size or grpo.temperature, or choose harder tasks")


def _low(found: Mapping[str, Any], rules: DictConfig) -> Verdict | None:
    mean = found["reward_mean"]
    if mean >= rules.ready_mean:
        return None
    rule = f"the mean reward is {mean:.2f}, below {rules.ready_mean} (preflight.rules.ready_mean)"
    return Verdict("reward too low", False, rule, "Train sft first, show fewer files, or choose a stronger model")


def _above(what: str, key: str, rules: DictConfig) -> str:
    return f"{what}, more than {rules[key]:.0%} (preflight.rules.{key})"


def _of(rate: Mapping[str, Any]) -> str:
    return f"{rate['k']} of {rate['n']}"


def _reasons(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in found["reasons"].items())
