"""Make the instances of a few seeds of one repository: what a worker process does."""

import hashlib
import sys
from collections.abc import Sequence
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import GitError
from openswerl.crawl.join import Unusable
from openswerl.records import Instance, PullRequest
from openswerl.relate import answers
from openswerl.relate.answers import NO_ANSWER, Answer
from openswerl.relate.ask import Asker
from openswerl.relate.instances import Related, make_instance, query_of
from openswerl.relate.quality import Hits, measure
from openswerl.relate.signals import candidates
from openswerl.relate.tree import Tree
from openswerl.relate.truth import truth


class Made(NamedTuple):
    """What became of one seed: an instance, or the reason why there is none."""

    repo: str
    number: int
    reason: str
    instance: Instance | None = None
    related: Sequence[Related] = ()
    hits: Sequence[Hits] = ()


class Task(NamedTuple):
    """A few seeds of one repository, and a model's answers if the predictor asks one."""

    pulls: list[PullRequest]
    answers: list[Answer]


def ask(pulls: list[PullRequest], clones: Clones, asker: Asker | None) -> Task:
    """Ask the model, if there is one, about every seed whose tree can be read; the others are told apart later."""
    found = [NO_ANSWER] * len(pulls)
    if asker is not None:
        questions = {}
        try:
            with clones.open(pulls[0].repo) as clone:
                for place, pull in enumerate(pulls):
                    if clone.commit(pull.merge_base):
                        questions[place] = query_of(pull), Tree(clone, pull.merge_base)
        except GitError:
            questions = {}
        for place, answer in zip(questions, asker.ask(list(questions.values())), strict=True):
            found[place] = answer
    return Task(pulls, found)


def make_chunk(task: Task, clones: Clones, cfg: DictConfig, share: float) -> list[Made]:
    """Return what became of every seed, in order; `share` is the part of the instances that quality is measured on."""
    try:
        with clones.open(task.pulls[0].repo) as clone:
            return [_make(pull, answer, clone, cfg, share) for pull, answer in zip(*task, strict=True)]
    except GitError as error:
        print(f"relate: warning: {error.detail}", file=sys.stderr)
        return [Made(pull.repo, pull.number, error.reason) for pull in task.pulls]


def _make(pull: PullRequest, answer: Answer, clone: Clone, cfg: DictConfig, share: float) -> Made:
    try:
        tree = Tree(clone, pull.merge_base)
        instance, related = make_instance(pull, tree, cfg, answer)
        hits = _measure(pull, answer, tree, cfg) if drawn(instance.instance_id, share) else []
    except (Unusable, GitError) as error:
        return Made(pull.repo, pull.number, error.reason)
    return Made(pull.repo, pull.number, "", instance, related, hits)


def _measure(pull: PullRequest, answer: Answer, tree: Tree, cfg: DictConfig) -> list[Hits]:
    """Return the hits of every predictor; none if no later commit tells the truth."""
    query = query_of(pull)
    found = truth(pull, tree.clone, candidates(query.changed, tree, cfg))
    model = answers.rank(query, tree, cfg, answer)[0] if cfg.predictor == "llm" else []
    return measure(pull.repo, query, tree, cfg, found, model) if found else []


def drawn(instance_id: str, share: float) -> bool:
    """Whether an instance belongs to a sample of this share; the id alone decides."""
    return int.from_bytes(hashlib.sha256(instance_id.encode()).digest()[:8]) < share * 2**64
