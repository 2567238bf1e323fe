"""Refuse what would train silently on the wrong tokens: tokenizers that differ, and models too small for theirs."""

import json
from collections.abc import Iterator

from omegaconf import DictConfig
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.models.attention import check_layers

SPECIAL = ("bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id")
PROBES = (
    "def f(a):\n    return a + 1  # ok\n",
    "<think>\nwhy\n</think>\n<solution>\n```python\n### a/b.py\n<<<<<<< SEARCH\n\tx\n=======\n```\n</solution>",
    "naïve café – 数字 \U0001f600\r\n\n\n   end",
)


def check_agreement(policy: PreTrainedTokenizerBase, rollout: PreTrainedTokenizerBase) -> None:
    """Raise UserError, in one line, if the rollout backend's tokenizer is not the policy's.

    Compared: vocabulary, special ids, chat template, and the ids and texts of a few probes, as two tokenizers with one
    vocabulary may still split text in different ways.
    """
    if found := next(_differences(policy, rollout), None):
        raise UserError(
            f"the tokenizers of policy and rollout differ: {found}; let both load the same checkpoint (model.path)"
        )


def _differences(policy: PreTrainedTokenizerBase, rollout: PreTrainedTokenizerBase) -> Iterator[str]:
    ours, theirs = policy.get_vocab(), rollout.get_vocab()
    if ours != theirs:
        different = [token for token in ours | theirs if ours.get(token) != theirs.get(token)]
        example = min(different)
        yield (
            f"{len(ours)} and {len(theirs)} tokens, {len(different)} of them unlike, such as {example!r} "
            f"({ours.get(example)} and {theirs.get(example)})"
        )
    for name in SPECIAL:
        if getattr(policy, name) != getattr(rollout, name):
            yield f"{name} is {getattr(policy, name)} and {getattr(rollout, name)}"
    if policy.chat_template != rollout.chat_template:
        yield "their chat templates are not the same text"
    for probe in PROBES:
        ids = policy.encode(probe, add_special_tokens=False)
        if ids != rollout.encode(probe, add_special_tokens=False):
            yield f"they split {json.dumps(probe[:40])} into other tokens"
        elif policy.decode(ids) != rollout.decode(ids):
            yield f"they write the tokens of {json.dumps(probe[:40])} as other text"


def check_policy(policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, model: DictConfig) -> None:
    """Raise UserError if the sampler cannot draw from the model, or `model`'s prompt and response do not fit it.

    The model needs an entry for every token, a token that ends a sample, layers of attention, and room.
    """
    highest, entries = max(tokenizer.get_vocab().values()), policy.config.get_text_config().vocab_size
    if highest >= entries:
        raise UserError(
            f"the tokenizer has a token number {highest} and the model {entries} entries: they are not of one "
            "checkpoint; check model.path"
        )
    if tokenizer.eos_token_id is None:
        raise UserError("the tokenizer has no end-of-sequence token, so no answer would end; check model.path")
    check_layers(policy)
    _check_room(policy.config.get_text_config(), model.max_prompt_tokens + model.max_response_tokens)


def _check_room(config: PreTrainedConfig, asked: int) -> None:
    room, window = getattr(config, "max_position_embeddings", None), _window(config)
    if room is not None and asked > room:
        raise UserError(
            f"model.max_prompt_tokens + model.max_response_tokens = {asked} tokens, more than the model's context of "
            f"{room}; lower one of them"
        )
    if window is not None and asked > window:
        raise UserError(
            f"model.max_prompt_tokens + model.max_response_tokens = {asked} tokens, more than the model's attention "
            f"window of {window}, which the sampler does not support; lower one of them"
        )


def _window(config: PreTrainedConfig) -> int | None:
    """The window of the layers that have one; without a list of layers all of them have it."""
    kinds = getattr(config, "layer_types", None) or ["sliding_attention"]
    return getattr(config, "sliding_window", None) if "sliding_attention" in kinds else None
