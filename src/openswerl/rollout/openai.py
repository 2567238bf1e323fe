"""The backend for models behind an OpenAI-compatible address: hosted APIs, vLLM and SGLang servers, gateways."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from omegaconf import DictConfig, OmegaConf

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.endpoint.client import Client
from openswerl.rollout.endpoint.pool import Pool
from openswerl.rollout.endpoint.requests import Question, body
from openswerl.rollout.endpoint.responses import Responses, key_of
from openswerl.rollout.samples import Answered, Completion, Sampler, Usage
from openswerl.rollout.seeds import seed_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SEEDS = 2**31  # what every endpoint takes


class Spent(msgspec.Struct):
    """What a sampler has used so far: answers that came, answers that were at hand, and requests without an answer.

    `requests` counts all that were sent, repeated ones too; the tokens are those that the endpoint counted for them.
    """

    answered: int = 0
    cached: int = 0
    faults: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, completion: Completion) -> None:
        """Count one that was asked for."""
        usage = completion.usage or Usage(requests=1)
        self.answered += completion.fault is None
        self.faults += completion.fault is not None
        self.requests += usage.requests
        self.prompt_tokens += usage.prompt
        self.completion_tokens += usage.completion

    def __str__(self) -> str:
        return (
            f"{self.answered + self.cached:,} answers, {self.cached:,} of them at hand, and {self.faults:,} that never "
            f"came; {self.requests:,} requests, {self.prompt_tokens:,} tokens read, {self.completion_tokens:,} written"
        )


class Asked(NamedTuple):
    """One request, and every (prompt, sample) that its answer is for."""

    key: bytes
    question: Question
    places: list[tuple[int, int]]


class OpenAiSampler(Sampler):
    """Asks an endpoint once for each sample; answers that came are kept on disk (`serving.cache`).

    `channel` names a server of our own instead of the configured one: as its weights may change, nothing is kept.
    With `by_ids` prompts are sent as token ids, and answers must come with theirs. Raises UserError if the address,
    the key, the tokenizer or the cache cannot be used.
    """

    def __init__(
        self,
        model: DictConfig,
        rollout: DictConfig,
        serving: DictConfig,
        *,
        channel: Channel | None = None,
        tokenizer: "PreTrainedTokenizerBase | None" = None,
        by_ids: bool = False,
    ) -> None:
        self.model, self.rollout, self.by_ids = model, rollout, by_ids
        self.max_prompt_tokens = model.max_prompt_tokens
        self.channel = channel or Channel.of(rollout.endpoint, os.environ)
        self.tokenizer = tokenizer or _tokenizer(rollout.endpoint.tokenizer)
        self.own = channel is not None
        kept = serving.cache and not self.own
        self.responses = Responses(Path(serving.folder, "responses.sqlite")) if kept else None
        self.usage = Spent()
        self.pool = Pool(serving.connections)
        try:
            self.client = self.pool.enter(Client(self.channel, rollout.endpoint, serving))
        except BaseException:
            self.close()
            raise

    @classmethod
    def for_policy(
        cls,
        model: DictConfig,
        rollout: DictConfig,
        serving: DictConfig,
        tokenizer: "PreTrainedTokenizerBase",
        *,
        channel: Channel | None = None,
    ) -> "OpenAiSampler":
        """Return the sampler of a policy in training: prompts are token ids, answers have ids and log-probabilities.

        Sampling raises UserError if the endpoint gives none.
        """
        with_ids = OmegaConf.merge(rollout, {"endpoint": {"token_ids": True}})
        assert isinstance(with_ids, DictConfig)
        return cls(model, with_ids, serving, channel=channel, tokenizer=tokenizer, by_ids=True)

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield `samples` completions per prompt, those at hand first; equal requests are sent once.

        Raises UserError for a prompt that is too long, and for a fault that concerns every request.
        """
        asked = self._asked(prompts, samples, temperature, seeds)
        known = self.responses.find(asked) if self.responses is not None else {}
        for key, completion in known.items():
            self.usage.cached += 1
            yield from _places(asked[key], completion.at_hand())
        missing = [one for key, one in asked.items() if key not in known]
        for one, completion in self.pool.stream(missing, self._ask):
            self.usage.add(completion)
            yield from _places(one, completion)

    def close(self) -> None:
        """Cancel what is under way, close the connections and the cache, and say what an endpoint was asked for."""
        self.pool.close()
        if self.usage != Spent() and not self.own:
            print(f"{self.channel.base_url}: {self.usage}", file=sys.stderr, flush=True)
        if self.responses is not None:
            self.responses.close()

    def _asked(
        self, prompts: Sequence[Prompt], samples: int, temperature: float, seeds: Sequence[int]
    ) -> dict[bytes, Asked]:
        asked: dict[bytes, Asked] = {}
        for number, (prompt, seed) in enumerate(zip(prompts, seeds, strict=True)):
            sent = self._sent(prompt)
            for sample in range(samples):
                question = Question(
                    prompt=sent,
                    temperature=temperature,
                    max_tokens=self.model.max_response_tokens,
                    seed=seed_of(seed, sample) % SEEDS,
                    stop=self.rollout.stop,
                )
                path, sent_body = body(question, self.channel, self.rollout.endpoint)
                # The seed counts where it is not sent too: another step's sample is another sample.
                key = key_of(self.channel.base_url, path, sent_body, question.seed, sample)
                asked.setdefault(key, Asked(key, question, [])).places.append((number, sample))
        return asked

    def _sent(self, prompt: Prompt) -> Prompt | list[int]:
        if self.tokenizer is None:
            return prompt  # an estimated length is no reason to refuse: the endpoint knows
        from openswerl.models.checkpoint import encode

        ids = encode(self.tokenizer, prompt, self.max_prompt_tokens)
        return ids if self.by_ids else prompt

    async def _ask(self, one: Asked) -> tuple[Asked, Completion]:
        """Ask, and keep the answer before anybody sees it, as who reads it may be killed first."""
        completion = await self.client.ask(one.question)
        if self.by_ids and completion.fault is None:
            self._require_ids(completion)
        if self.responses is not None:
            self.responses.keep(one.key, completion)
        return one, completion

    def _require_ids(self, completion: Completion) -> None:
        if not completion.token_ids or completion.logprobs is None:
            raise UserError(
                f"{self.channel.base_url} answers without token ids and log-probabilities, which training needs: use a "
                "server that gives them (vLLM does), or choose another rollout"
            )


def _places(one: Asked, completion: Completion) -> Iterator[Answered]:
    for prompt, sample in one.places:
        yield Answered(prompt, sample, completion)


def _tokenizer(place: str | None) -> "PreTrainedTokenizerBase | None":
    if place is None:
        return None
    from openswerl.models.checkpoint import load_tokenizer  # only here: else nothing heavy is imported

    return load_tokenizer(place, setting="rollout.endpoint.tokenizer")
