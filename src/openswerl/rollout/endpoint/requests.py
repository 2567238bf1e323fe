"""One question to an endpoint, and the request that asks it."""

from typing import Any

import msgspec
from omegaconf import DictConfig, OmegaConf

from openswerl.rollout.endpoint.channel import Channel

COMPLETIONS, CHAT = "/completions", "/chat/completions"


class Question(msgspec.Struct, frozen=True):
    """A prompt (text, token ids, or messages) and how it is answered, once."""

    prompt: str | list[int] | list[dict[str, str]]
    temperature: float
    max_tokens: int
    seed: int
    stop: str | None = None

    @property
    def chat(self) -> bool:
        """Whether the prompt is messages."""
        return isinstance(self.prompt, list) and bool(self.prompt) and isinstance(self.prompt[0], dict)


def body(question: Question, channel: Channel, endpoint: DictConfig) -> tuple[str, dict[str, Any]]:
    """Return the path below the address, and the body; `endpoint.extra` has the last word.

    Nothing truncates the distribution (top_p is 1), so that samples are of the probabilities that training uses.
    """
    chat = question.chat
    asked: dict[str, Any] = {
        "model": channel.model,
        "messages" if chat else "prompt": question.prompt,
        endpoint.limit_key: question.max_tokens,
        "temperature": question.temperature,
        "top_p": 1.0,
    }
    if endpoint.send_seed:
        asked["seed"] = question.seed
    if endpoint.token_ids:
        asked["return_token_ids"] = True
        # Elsewhere the tag would be cut off, so such answers are cut after it here: see replies.py.
        asked |= {"stop": [question.stop], "include_stop_str_in_output": True} if question.stop else {}
        asked |= {"logprobs": True, "top_logprobs": 0} if chat else {"logprobs": 0}
    extra: Any = OmegaConf.to_container(endpoint.extra)
    return (CHAT if chat else COMPLETIONS), asked | extra
