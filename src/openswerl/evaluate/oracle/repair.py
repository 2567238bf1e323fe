"""Ask a policy for repairs and turn its answers into patches (paper Table 2: oracle files, repair alone)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from openswerl.edits import FormatError, git_patch, normalised_key
from openswerl.evaluate.harness.guard import refuse
from openswerl.evaluate.oracle.reading import Asking, read
from openswerl.models.prompts import Prompt
from openswerl.records import Task
from openswerl.rollout import Completion, Sampler, seed_of

Decoding = Literal["greedy", "sample", "vote", "mini", "mini-majority", "mini-regression", "mini-reproduction"]
Files = Mapping[str, str | None]
KeyOf = Callable[[Files, Files], str]
CHUNK = 64


class Policy(NamedTuple):
    """A source of samples, and whether a prompt fits its context."""

    sampler: Sampler
    fits: Callable[[Prompt], bool]


@dataclass(frozen=True)
class Candidate:
    """One answer. `reason` is the code of a format error, or of the fault for which there is no answer.

    `patch` is empty where nothing changes. `refused` is why a patch may not run, None if it may: it is submitted, and
    counts as unresolved.
    """

    decoding: Decoding
    sample: int
    output: str = ""
    patch: str = ""
    key: str | None = None
    reason: str | None = None
    refused: str | None = None

    @property
    def format_ok(self) -> bool:
        """Whether the answer has the right form."""
        return self.reason is None


def repair(
    tasks: Sequence[Sequence[Task]],
    policy: Policy,
    cfg: Any,
    asking: Asking,
    *,
    seed: int,
    say: Callable[[str], None],
    repos: Sequence[str],
) -> list[list[Candidate]]:
    """Return, per instance, the greedy candidate and then `cfg.samples` sampled ones.

    `tasks` holds one instance's tasks with less and less context; the first that fits is asked. An instance of which
    none fits gets candidates with the reason "prompt_too_long". `repos` are the instances' repositories.
    """
    chosen = [next((task for task in group if policy.fits(asking.prompt(task))), None) for group in tasks]
    asked = [(task, repo) for task, repo in zip(chosen, repos, strict=True) if task is not None]
    answers: list[list[Candidate]] = []
    for start in range(0, len(asked), CHUNK):
        chunk = asked[start : start + CHUNK]
        prompts = [asking.prompt(task) for task, _ in chunk]
        seeds = [seed_of(seed, task.instance_id) for task, _ in chunk]
        completions = _generate(policy.sampler, prompts, cfg, seeds)
        answers += [list(_candidates(*place, row, asking)) for place, row in zip(chunk, completions, strict=True)]
        say(f"{len(answers)}/{len(asked)} generated")
    given = iter(answers)
    return [_too_long(cfg.samples) if task is None else next(given) for task in chosen]


def _generate(sampler: Sampler, prompts: Sequence[Prompt], cfg: Any, seeds: Sequence[int]) -> list[list[Completion]]:
    """Greedy, then sampled; a seed is the instance's own, so the order of instances does not matter."""
    rows = sampler.generate(prompts, samples=1, temperature=0.0, seeds=seeds)
    if not cfg.samples:
        return rows
    sampled = sampler.generate(prompts, samples=cfg.samples, temperature=cfg.temperature, seeds=seeds)
    return [first + rest for first, rest in zip(rows, sampled, strict=True)]


def _candidates(task: Task, repo: str, row: Sequence[Completion], asking: Asking) -> Iterator[Candidate]:
    yield read_answer(task, row[0], asking, "greedy", 0, repo=repo)
    for number, completion in enumerate(row[1:]):
        yield read_answer(task, completion, asking, "sample", number, repo=repo)


def _too_long(samples: int) -> list[Candidate]:
    sampled = [Candidate("sample", number, reason="prompt_too_long") for number in range(samples)]
    return [Candidate("greedy", 0, reason="prompt_too_long"), *sampled]


def read_answer(
    task: Task,
    completion: Completion,
    asking: Asking,
    decoding: Decoding,
    sample: int,
    *,
    key_of: KeyOf = normalised_key,
    repo: str = "",
) -> Candidate:
    """Turn one completion into a candidate by the edit rule of the reward; an unfinished one is a format error.

    The reason of one that never came is the code of its fault. `key_of` gives edits that count as alike one key.
    `repo` is "owner/name", where the guard knows folders of it.
    """
    try:
        if not completion.finished:
            return Candidate(decoding, sample, completion.text, reason=completion.fault or "unfinished")
        new = read(task, completion.text, asking)
    except FormatError as error:
        return Candidate(decoding, sample, completion.text, reason=error.reason)
    old = {path: task.context.get(path) for path in new}
    return Candidate(
        decoding,
        sample,
        completion.text,
        git_patch(old, new),
        key_of(old, new),
        refused=refuse(old, new, repo),
    )
