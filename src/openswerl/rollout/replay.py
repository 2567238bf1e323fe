"""The backend without a model: it gives the answers of a record again, for tests and to score them anew."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt, digest_of
from openswerl.rollout.recording import Place, Recorded
from openswerl.rollout.samples import Answered, Completion, Sampler

NOT_RECORDED = Completion("", [], False, fault="not_recorded")


class ReplaySampler(Sampler):
    """Answers by prompt, temperature, seed and sample from the file `rollout.replay`; what it lacks is a fault.

    Raises UserError if the record cannot be read or holds no answer, and if the first call finds none of its own there.
    """

    tokenizer = None

    def __init__(self, model: DictConfig, rollout: DictConfig) -> None:
        if rollout.replay is None:
            raise UserError("rollout=replay needs rollout.replay, a record.jsonl written under serving.record=true")
        self.path, self.max_prompt_tokens = Path(rollout.replay), model.max_prompt_tokens
        self.known, self.too_long = read_record(self.path)
        self.found = self.missing = 0

    def fits(self, prompt: Prompt) -> bool:
        """Whether the prompt was not found too long when the record was made."""
        return digest_of(prompt) not in self.too_long

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield the recorded completions, in order."""
        digests = [digest_of(prompt) for prompt in prompts]
        drawn = [
            Answered(k, i, self.known.get(Place(digests[k], temperature, seeds[k], i), NOT_RECORDED))
            for k in range(len(prompts))
            for i in range(samples)
        ]
        missing = sum(one.completion is NOT_RECORDED for one in drawn)
        self.found, self.missing = self.found + len(drawn) - missing, self.missing + missing
        if drawn and not self.found:
            raise UserError(
                f"{self.path} holds none of the {len(drawn)} answers that are asked for first: other prompts, seeds or "
                "temperatures were recorded; repeat that run's settings, or record these with serving.record=true"
            )
        yield from drawn

    def close(self) -> None:
        """Say how much was missing."""
        if self.missing:
            asked = self.found + self.missing
            print(f"replay: {self.missing} of {asked} answers are not in {self.path}", file=sys.stderr, flush=True)


def read_record(path: Path) -> tuple[dict[Place, Completion], set[str]]:
    """Return the answers of a record, of one place the last, and the digests of prompts that were too long.

    A line that a kill cut off is passed over with a warning. Raises UserError if there is no answer.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UserError(f"rollout.replay={path} cannot be read: {error.strerror}") from None
    rows = [row for line in lines if (row := _row(line))]
    known = {row.place: row.completion.at_hand() for row in rows if row.completion}
    if len(rows) < len(lines):
        print(f"replay: warning: {len(lines) - len(rows)} lines of {path} are damaged", file=sys.stderr, flush=True)
    if not known:
        raise UserError(f"rollout.replay={path} holds no answer; record some with serving.record=true")
    return known, {row.place.prompt for row in rows if not row.completion}


def _row(line: bytes) -> Recorded | None:
    try:
        return msgspec.convert(json.loads(line), Recorded)
    except (ValueError, RecursionError):
        return None
