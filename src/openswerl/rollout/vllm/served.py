"""Samples from a vLLM server of our own, by the OpenAI protocol and in token ids."""

import copy
from collections.abc import Collection, Iterator, Sequence

import msgspec
from omegaconf import DictConfig, open_dict, read_write
from transformers import PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.openai import OpenAiSampler
from openswerl.rollout.samples import Answered, Completion, Sampler
from openswerl.rollout.vllm.server import Server


class ServedSampler(Sampler):
    """Asks the server; `server` is given to the one process that ends it. `ends`: the tokens that end a sample."""

    tokenizer: PreTrainedTokenizerBase

    def __init__(
        self,
        model: DictConfig,
        rollout: DictConfig,
        serving: DictConfig,
        tokenizer: PreTrainedTokenizerBase,
        ends: frozenset[int],
        channel: Channel,
        server: Server | None,
    ) -> None:
        ending = with_ends(rollout, ends)
        self.inner = OpenAiSampler.for_policy(model, ending, serving, tokenizer, channel=channel)
        self.tokenizer, self.max_prompt_tokens, self.server = tokenizer, model.max_prompt_tokens, server
        self.version: int | None = None

    def stream(
        self, prompts: Sequence[Prompt], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        """Yield completions as they come, with the version of the weights that were served when the call began.

        Raises UserError with the server's last words if it has ended.
        """
        version = self.version
        try:
            for place in self.inner.stream(prompts, samples=samples, temperature=temperature, seeds=seeds):
                yield place._replace(completion=self._whole(place.completion, version))
        except UserError:
            if self.server:
                self.server.check()
            raise

    def _whole(self, completion: Completion, version: int | None) -> Completion:
        """Return it with the version, and the text of its tokens: vLLM's own ends at the tag, within a token."""
        text = str(self.tokenizer.decode(completion.token_ids, skip_special_tokens=True))
        return msgspec.structs.replace(completion, text=text, version=version)

    def close(self) -> None:
        """Close the connections, and end the server if it is ours."""
        self.inner.close()
        if self.server:
            self.server.close()


def with_ends(rollout: DictConfig, ends: Collection[int]) -> DictConfig:
    """Return a copy of `cfg.rollout`, which may be read-only, that asks the server to stop at these tokens."""
    changed = copy.deepcopy(rollout)
    with read_write(changed), open_dict(changed):
        changed.endpoint.extra.stop_token_ids = sorted(ends)
    return changed
