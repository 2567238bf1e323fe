"""Read an answer: in one piece or in many, of the chat path or the plain one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from openswerl.rollout.endpoint.bodies import Reply, decoded, error_of, is_page
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.endpoint.errors import broken, of_reply, page
from openswerl.rollout.endpoint.problems import Faulty, Problem
from openswerl.rollout.samples import Completion, Usage

ENDED = ("stop", "eos", "end_turn", "stop_sequence")
CUT = ("length", "max_tokens")
FILTERED = ("content_filter", "safety", "content_filtered")
DONE = "[DONE]"


@contextmanager
def _answer(reply: Reply, channel: Channel) -> Iterator[None]:
    """Raise Faulty for what is no answer, and for a number where there should be a list, and the like."""
    if reply.status >= 300:
        raise Faulty(of_reply(reply, channel))
    try:
        yield
    except (TypeError, ValueError, AttributeError):
        raise Faulty(
            broken(channel, f"the answer has another form than the protocol's ({_start(reply.text, channel)})")
        ) from None


def completion_of(reply: Reply, channel: Channel, stop: str | None) -> Completion:
    """Return the answer, cut after the closing tag `stop`. Raises Faulty if it is none."""
    with _answer(reply, channel):
        return _completion(reply, channel, stop)


def _completion(reply: Reply, channel: Channel, stop: str | None) -> Completion:
    document = _streamed(reply, channel) if "text/event-stream" in reply.headers.get("content-type", "") else None
    document = document or _document(reply, channel)
    choice = _choice(document, channel)
    text, finished = channel.scrub(_text(choice)), _finished(choice, channel)
    ids, logprobs = _ids(choice.get("token_ids")), _logprobs(choice)
    if ids and logprobs and len(ids) != len(logprobs):
        raise ValueError("a token without its log-probability")
    if stop and stop in text and not ids:  # with token ids the server has stopped there itself
        text, finished, logprobs = text[: text.index(stop) + len(stop)], True, None
    counted = Usage(_used(document, "prompt_tokens"), _used(document, "completion_tokens"), 1)
    return Completion(text, ids, finished, logprobs, usage=counted, model=_model(document, channel))


def prompt_read(reply: Reply, channel: Channel) -> tuple[list[int], int]:
    """Return the token ids of the prompt, empty if the server names none, and their number, 0 if it counts none.

    Raises Faulty if the reply is no answer.
    """
    with _answer(reply, channel):
        document = _document(reply, channel)
        ids = document.get("prompt_token_ids") or _choice(document, channel).get("prompt_token_ids")
        return _ids(ids), _used(document, "prompt_tokens")


def _document(reply: Reply, channel: Channel) -> dict[str, Any]:
    if is_page(reply):
        raise Faulty(page(reply, channel))
    try:
        document = decoded(reply.text)
    except ValueError:
        what = "broke off in the middle" if reply.text.lstrip().startswith("{") else "is not JSON"
        raise Faulty(broken(channel, f"the answer {what} ({_start(reply.text, channel)})")) from None
    if not isinstance(document, dict) or error_of(reply.text):
        raise Faulty(of_reply(reply, channel))
    return document


def _streamed(reply: Reply, channel: Channel) -> dict[str, Any]:
    """Put the pieces of a stream together; one that ends before its finish reason is broken."""
    whole: dict[str, Any] = {"choices": []}
    choice: dict[str, Any] = {"text": "", "finish_reason": None, "token_ids": [], "logprobs": []}
    for event in _events(reply.text):
        if error_of(event):
            raise Faulty(of_reply(Reply(reply.status, reply.headers, event), channel))
        try:
            piece = decoded(event)
        except ValueError:
            raise Faulty(broken(channel, "the stream broke off in the middle of a piece")) from None
        whole |= {key: piece[key] for key in ("model", "usage") if piece.get(key)}
        for part in piece.get("choices") or []:
            whole["choices"] = [choice]
            choice["text"] += _text(part)
            choice["token_ids"] += _ids(part.get("token_ids"))
            choice["logprobs"] += _logprobs(part) or []
            choice["finish_reason"] = part.get("finish_reason") or choice["finish_reason"]
    if whole["choices"] and choice["finish_reason"] is None:
        raise Faulty(broken(channel, "the stream broke off before its end"))
    return whole


def _events(text: str) -> Iterator[str]:
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines and (event := "\n".join(lines)).strip() != DONE:
            yield event


def _choice(document: Mapping[str, Any], channel: Channel) -> Mapping[str, Any]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        what = "without choices" if choices is None else "with an empty list of choices"
        raise Faulty(broken(channel, f"it answered {what}"))
    return choices[0]


def _text(choice: Mapping[str, Any]) -> str:
    message = choice.get("message") or choice.get("delta")
    return msgspec.convert((message.get("content") if isinstance(message, dict) else choice.get("text")) or "", str)


def _finished(choice: Mapping[str, Any], channel: Channel) -> bool:
    reason = choice.get("finish_reason")
    if reason in FILTERED:
        message = f"{channel.base_url}: an answer was held back by the content filter"
        raise Faulty(Problem("content_filter", message))
    if reason not in (*ENDED, *CUT):
        raise Faulty(broken(channel, f"an answer ended for an unknown reason ({channel.scrub(str(reason))[:40]})"))
    return reason in ENDED


def _model(document: Mapping[str, Any], channel: Channel) -> str | None:
    model = document.get("model")
    return None if model is None else channel.scrub(str(model))


def _ids(given: Any) -> list[int]:
    return msgspec.convert(given or [], list[int])


def _used(document: Mapping[str, Any], which: str) -> int:
    return msgspec.convert((document.get("usage") or {}).get(which) or 0, int)


def _logprobs(choice: Mapping[str, Any]) -> list[float] | None:
    """Return the log-probabilities of the sampled tokens, whichever of the two forms they have."""
    given = choice.get("logprobs")
    if isinstance(given, dict):
        content = given.get("content")
        given = [entry.get("logprob") for entry in content] if content is not None else given.get("token_logprobs")
    return msgspec.convert(given, list[float]) if given and None not in given else None


def _start(text: str, channel: Channel) -> str:
    return repr(channel.scrub(text)[:60]) if text.strip() else "it is empty"
