"""What is asked: which instance, as which kind of question, and under which seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from openswerl.models.batches import batch_at
from openswerl.records import Instance
from openswerl.rollout import seed_of
from openswerl.sft.editing import EDITING
from openswerl.sft.kinds import Kind
from openswerl.sft.localisation import LOCALISATION

KINDS = {kind.name: kind for kind in (EDITING, LOCALISATION)}


@dataclass(frozen=True)
class Question:
    """One question; `seed` is its own, so that no other question has a say in its samples."""

    instance: Instance
    kind: Kind
    seed: int


def kinds_asked(sft: DictConfig) -> list[Kind]:
    """Return the kinds of which `sft.localisation` leaves any."""
    return [kind for kind, share in ((EDITING, 1 - sft.localisation), (LOCALISATION, sft.localisation)) if share > 0]


def make_questions(instances: Sequence[Instance], sft: DictConfig, seed: int) -> list[Question]:
    """Return `sft.prompts` questions on shuffled instances; localisation has its share, spread evenly."""
    chosen = batch_at(instances, 0, sft.prompts, seed)
    return [
        Question(instance, _kind(place, sft.localisation), seed_of(seed, "sft", place, instance.instance_id))
        for place, instance in enumerate(chosen)
    ]


def _kind(place: int, share: float) -> Kind:
    return LOCALISATION if math.floor((place + 1) * share) > math.floor(place * share) else EDITING


def held_out(questions: Sequence[Question], share: float, seed: int) -> list[Instance]:
    """Return the instances that are kept from training: that share of them, at least one if above 0, shuffled."""
    instances = {question.instance.instance_id: question.instance for question in questions}
    names = sorted(instances, key=lambda name: seed_of(seed, "held out", name))
    return [instances[name] for name in names[: math.ceil(share * len(names))]]
