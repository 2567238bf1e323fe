"""What a backend gives: completions, as they come."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from openswerl.models.prompts import Prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Why there is no answer: the codes of `Completion.fault`.
FAULTS = (
    *("context_length", "content_filter", "rate_limit", "too_slow", "broken_answer", "server_error", "unreachable"),
    *("refused", "not_recorded"),
)
BYTES_PER_TOKEN = 3  # our choice: code has more, so that the estimate errs on the long side


class Usage(msgspec.Struct, frozen=True):
    """Tokens that a server counted; `requests` are those sent, answered or not, and 0 if the answer was at hand."""

    prompt: int = 0
    completion: int = 0
    requests: int = 0


class Completion(msgspec.Struct, frozen=True):
    """One sample. `finished`: it ended by itself, with an end-of-sequence token or the closing tag `rollout.stop`.

    `token_ids` holds the end-of-sequence token too; empty where the backend names none. `logprobs` are those of the
    sampled tokens at the sampling temperature (greedy: at 1), one a token; None where the backend gives none. `fault`
    is the code of why there is no answer: such a sample is nobody's fault and never scored. `model` is the id that the
    backend reports; `version` the number of the policy's update whose weights were used, None if it follows no policy.
    """

    text: str
    token_ids: list[int]
    finished: bool
    logprobs: list[float] | None = None
    fault: str | None = None
    usage: Usage | None = None
    model: str | None = None
    version: int | None = None

    @property
    def finish_reason(self) -> str:
        """`stop`, `length`, or the code of the fault."""
        return self.fault or ("stop" if self.finished else "length")

    def at_hand(self) -> "Completion":
        """Return the same answer, for which nothing is sent now."""
        usage = self.usage or Usage()
        return msgspec.structs.replace(self, usage=msgspec.structs.replace(usage, requests=0))


def count_faults(reasons: Iterable[str | None]) -> str:
    """Return how many of these reasons are faults, and of which kinds, in words; empty if none is."""
    found = Counter(reason for reason in reasons if reason in FAULTS)
    kinds = ", ".join(f"{reason} {count}" for reason, count in sorted(found.items()))
    return f"{found.total()} answers never came ({kinds})" if found else ""


class Answered(NamedTuple):
    """A completion and where it belongs: the number of its prompt, and of its sample."""

    prompt: int
    sample: int
    completion: Completion


class Sampler(ABC):
    """A source of samples from one policy. `tokenizer` is None where the backend shows none.

    `max_prompt_tokens` is the length up to which prompts are answered.
    """

    tokenizer: "PreTrainedTokenizerBase | None"
    max_prompt_tokens: int

    @abstractmethod
    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield `samples` completions per prompt as they come, in any order; temperature 0 is greedy.

        Sample i of a prompt depends on the prompt's seed and i alone. Raises UserError for a prompt longer than
        `model.max_prompt_tokens`: callers leave such out and count them.
        """

    def generate(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> list[list[Completion]]:
        """Return what `stream` yields, in order."""
        found: list[list[Completion | None]] = [[None] * samples for _ in prompts]
        for prompt, sample, completion in self.stream(prompts, samples=samples, temperature=temperature, seeds=seeds):
            found[prompt][sample] = completion
        whole = [[one for one in row if one is not None] for row in found]
        assert all(len(row) == samples for row in whole)
        return whole

    def count(self, prompt: Prompt) -> int:
        """Return the tokens of a prompt; without a tokenizer an estimate from its bytes."""
        if self.tokenizer is None:
            text = prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)
            return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)
        from openswerl.models.checkpoint import token_ids

        return len(token_ids(self.tokenizer, prompt))

    def fits(self, prompt: Prompt) -> bool:
        """Whether the prompt may be asked."""
        return self.count(prompt) <= self.max_prompt_tokens

    def close(self) -> None:  # noqa: B027 - most backends hold nothing
        """Give back what the backend holds: engines, servers, connections."""
