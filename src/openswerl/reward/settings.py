"""What is to be scored, and by which settings; both travel to the scoring processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from openswerl.edits import RULES, Rules
from openswerl.records import Instance


class Place(NamedTuple):
    """Where an instance's repository stands, for rewards that run its tests."""

    instance_id: str
    repo: str
    base_commit: str


class Call(NamedTuple):
    """The inputs of a scoring: path to full text before the change, path to full oracle text, model output."""

    context: dict[str, str]
    oracle: dict[str, str]
    output: str
    place: Place | None = None


def call_of(instance: Instance, output: str) -> Call:
    """Return the call that scores an output for a training instance."""
    place = Place(instance.instance_id, instance.repo, instance.base_commit)
    return Call(instance.task.context, instance.oracle, output, place)


@dataclass(frozen=True, slots=True)
class Settings:
    """Which reward by which edit rules, what a format error earns, and the kind's own options.

    `kind` is a module of `openswerl.reward.kinds`, or the dotted name of one's own.
    """

    kind: str = "continuous"
    rules: Rules = RULES["strict"]
    format_penalty: float = -1.0
    options: Mapping[str, Any] = field(default_factory=dict)
