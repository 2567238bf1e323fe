"""Before training, the golden answer of every instance must earn 1.0; what cannot is set aside, with a reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from openswerl.edits import InexpressibleError, diff_bodies, git_patch, minimal_blocks, render, render_patch
from openswerl.errors import UserError
from openswerl.records import Instance
from openswerl.reward.outcome import Score, UnscorableError
from openswerl.reward.pool import ScorePool
from openswerl.reward.settings import Call, call_of

THOUGHT = "The change."
SHOWN = 3


@dataclass
class Gate:
    """The instances that a reward can train on, and (id, reason) of the others."""

    passed: list[Instance] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of instances that failed; 0.0 if there is none at all."""
        return len(self.failed) / max(1, len(self.passed) + len(self.failed))


def golden_answer(instance: Instance, answer: str, thought: str = THOUGHT) -> str:
    """Return the oracle's change as a model would write it, in the form `answer`: search_replace or unidiff.

    Raises UnscorableError: empty_oracle (nothing but line ends changes, so doing nothing would earn 1.0),
    gold_inexpressible (a tag or a marker line inside the text).
    """
    context, oracle = instance.task.context, instance.oracle
    if not diff_bodies(context, oracle):
        raise UnscorableError("empty_oracle")
    if answer == "unidiff":
        return render_patch(thought, git_patch(context, oracle))
    try:
        return render(thought, minimal_blocks(context, oracle))
    except InexpressibleError:
        raise UnscorableError("gold_inexpressible") from None


def gate(instances: Sequence[Instance], rewards: ScorePool) -> Gate:
    """Score the golden answer of every instance; both lists keep the order.

    Reasons: those of `golden_answer` and of `Score`, and gold_below_1.
    """
    calls: list[Call] = []
    reasons: list[str | None] = []
    for instance in instances:
        try:
            calls.append(call_of(instance, golden_answer(instance, rewards.answer)))
            reasons.append(None)
        except UnscorableError as error:
            reasons.append(error.reason)
    scores = iter(rewards.score_many(calls))
    found = Gate()
    for instance, reason in zip(instances, reasons, strict=True):
        fault = reason or _fault(next(scores))
        if fault is None:
            found.passed.append(instance)
        else:
            found.failed.append((instance.instance_id, fault))
    return found


def _fault(score: Score) -> str | None:
    if score.reason is not None:
        return score.reason
    return None if score.reward == 1.0 else "gold_below_1"


def require(found: Gate, max_share: float) -> None:
    """Raise UserError if no instance passed, or if more than `max_share` of them failed.

    The message names a few; the caller writes quarantine.jsonl, which names all, before.
    """
    if found.passed and found.share <= max_share:
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in Counter(reason for _, reason in found.failed).items())
    names = ", ".join([*(name for name, _ in found.failed[:SHOWN]), *(["..."] if len(found.failed) > SHOWN else [])])
    raise UserError(
        f"the golden answer does not earn 1.0 on {len(found.failed)} of {len(found.passed) + len(found.failed)} "
        f"instances ({reasons}; {names}); repair the data, or raise reward.max_unscorable={max_share}"
    )
