"""Compare a tokenizer and its chat template with what an endpoint makes of the same prompts."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.rollout.agreement import PROBES
from openswerl.rollout.endpoint.requests import Question
from openswerl.rollout.recording import Recorder
from openswerl.rollout.samples import Sampler

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SYSTEM = "You fix issues."
MEND = "let the server load the checkpoint of the policy, chat template included, or set model.path to the server's"


class Compared(NamedTuple):
    """How many prompts agree, of which form (text or chat), and by what: ids, counts, or nothing that it tells."""

    prompts: int
    form: str
    by: str

    def __str__(self) -> str:
        if self.by == "nothing":
            return f"{self.form} prompts: the endpoint neither names nor counts their tokens, so nothing was compared"
        only = "" if self.by == "ids" else " alone, as the endpoint names no ids (rollout.endpoint.token_ids=true asks)"
        return f"{self.prompts} {self.form} prompts have the same token {self.by}{only}"


def check_endpoint(sampler: Sampler, tokenizer: "PreTrainedTokenizerBase") -> Compared:
    """Return what was compared, over the path that `sampler` (an OpenAiSampler) takes for its prompts.

    Raises UserError, in one line, if the endpoint reads a prompt as other tokens than `tokenizer`, or cannot be asked.
    """
    from openswerl.models.checkpoint import token_ids
    from openswerl.rollout.openai import OpenAiSampler

    asked = sampler.sampler if isinstance(sampler, Recorder) else sampler
    assert isinstance(asked, OpenAiSampler)
    chat = asked.model.prompt == "chat" and not asked.by_ids
    by = set()
    for prompt in _prompts(chat=chat):
        ours = token_ids(tokenizer, prompt)
        question = Question(prompt, temperature=0.0, max_tokens=1, seed=0)
        theirs, count = asked.pool.run(asked.client.prompt_tokens(question))
        if asked.by_ids and theirs == [tokenizer.bos_token_id, *ours]:  # it is put before text, and not before ids
            theirs = ours
        if theirs and theirs != ours:
            raise UserError(_differ(asked.channel.base_url, prompt, ours, theirs, tokenizer))
        if not theirs and count and count != len(ours):
            raise UserError(_differ_in_number(asked.channel.base_url, prompt, len(ours), count))
        by.add("ids" if theirs else "counts" if count else "nothing")
    return Compared(len(PROBES), "chat" if chat else "text", max(by, key=("ids", "counts", "nothing").index))


def _prompts(*, chat: bool) -> Iterator[Prompt]:
    for probe in PROBES:
        yield [{"role": "system", "content": SYSTEM}, {"role": "user", "content": probe}] if chat else probe


def _differ(
    address: str, prompt: Prompt, ours: list[int], theirs: list[int], tokenizer: "PreTrainedTokenizerBase"
) -> str:
    place = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(ours), len(theirs)) if place is None else place
    shown = [repr(tokenizer.decode(ids[place : place + 3])) for ids in (ours, theirs)]
    return (
        f"{address} reads {_start(prompt)} as other tokens than the policy's tokenizer: they part at token {place}, "
        f"{shown[0]} here and {shown[1]} there; {MEND}"
    )


def _differ_in_number(address: str, prompt: Prompt, ours: int, theirs: int) -> str:
    return f"{address} counts {theirs} tokens in {_start(prompt)}, the policy's tokenizer {ours}; {MEND}"


def _start(prompt: Prompt) -> str:
    return json.dumps((prompt if isinstance(prompt, str) else prompt[-1]["content"])[:40])
