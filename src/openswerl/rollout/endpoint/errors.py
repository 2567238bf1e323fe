"""Explain what a server answered: each error that people meet has its own line, cause and next step."""

import re
from collections.abc import Mapping
from typing import Any

from openswerl.rollout.endpoint.bodies import SHOWN, Reply, error_of, is_page, said
from openswerl.rollout.endpoint.channel import NO_KEY, Channel
from openswerl.rollout.endpoint.problems import Problem
from openswerl.rollout.endpoint.transport import proxy_of, wants_password
from openswerl.waits import advice

PASSING = (408, 409, 425, 429)
EXPIRED = ("invalid_grant", "token has expired", "token expired", "expired token", "expired_token", "token is expired")
CREDIT = ("insufficient_quota", "insufficient credit", "insufficient balance", "billing_hard_limit", "out of credit")
TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|context window|context size|max_model_len|prompt is too long|"
    r"too many tokens"
)
FILTERED = re.compile(r"content_filter|content management policy|content_policy_violation|safety system")
NO_MODEL = re.compile(
    r"model_not_found|model .{0,80}(does not exist|not found)|no such model|not a valid model|unknown model"
)
# Fields of a request that not every model takes, and the setting that leaves each out.
FIELDS = {
    "max_tokens": "rollout.endpoint.limit_key=max_completion_tokens",
    "max_completion_tokens": "rollout.endpoint.limit_key=max_tokens",
    "seed": "rollout.endpoint.send_seed=false",
    "logprobs": "rollout.endpoint.token_ids=false",
    "top_logprobs": "rollout.endpoint.token_ids=false",
    "return_token_ids": "rollout.endpoint.token_ids=false",
    "include_stop_str_in_output": "rollout.endpoint.token_ids=false",
}


def of_reply(reply: Reply, channel: Channel) -> Problem:
    """Explain a response that is no answer: a status of 400 or more, or an error object."""
    if reply.status == 407 and (proxy := proxy_of(channel)):
        return wants_password(*proxy, channel)
    if 300 <= reply.status < 400:
        return moved(reply, channel)
    if is_page(reply):
        return page(reply, channel)
    error, words = error_of(reply.text), said(reply, channel)
    status = _status(reply, error)
    where = f"{channel.base_url} answers {reply.status}"
    if reply.status < 400:
        where += " with an error object" + (f" of status {status}" if status != reply.status else "")
    text = f"{error.get('code')} {error.get('type')} {error.get('message')} {reply.text[:2000]}".lower()
    return _of_words(text, words, status, channel) or _of_status(status, error, words, where, reply, channel)


def _status(reply: Reply, error: Mapping[str, Any]) -> int:
    """Return the status; gateways tuck that of the server behind them into the error object."""
    code = str(error.get("code"))
    return int(code) if reply.status < 400 and re.fullmatch("[45][0-9]{2}", code) else reply.status


def _of_words(text: str, words: str, status: int, channel: Channel) -> Problem | None:
    """Explain what the words tell better than the status."""
    if any(word in text for word in EXPIRED) and status < 500:
        return Problem(
            "refused",
            f"{channel.base_url}: the token in {channel.key_variable} has expired or was revoked ({words}); get a new "
            "one and set the variable again",
            fatal=True,
        )
    if status == 402 or any(word in text for word in CREDIT):
        return Problem(
            "rate_limit",
            f"{channel.base_url}: the account of the key in {channel.key_variable} has no credit left ({words}); top "
            "it up, or use another key",
            fatal=True,
        )
    if TOO_LONG.search(text) and status != 429:  # which counts the tokens of a minute
        return Problem(
            "context_length",
            f"{channel.base_url}: a prompt and its answer are longer than the model's context ({words}); lower "
            "model.max_prompt_tokens or model.max_response_tokens",
        )
    if FILTERED.search(text) and status < 429:
        return Problem("content_filter", f"{channel.base_url}: a prompt was refused by the content filter ({words})")
    return None


def _of_status(
    status: int, error: Mapping[str, Any], words: str, where: str, reply: Reply, channel: Channel
) -> Problem:
    wait_s = advice(reply.headers)
    if status in (401, 403):
        return _denied(status, words, where, channel)
    if status == 404 or (status == 400 and NO_MODEL.search(words.lower())):
        return _missing(error, words, where, channel)
    if status == 429:
        return Problem(
            "rate_limit",
            f"{where}: too many requests ({words}); lower serving.connections, or raise serving.attempts or "
            "serving.max_wait_s",
            passing=True,
            wait_s=wait_s,
            limited=True,
        )
    if status in PASSING or status >= 500:
        message = f"{where}: {words}; the server is at fault, try again later"
        return Problem("server_error", message, passing=True, wait_s=wait_s)
    if status < 400:
        message = f"{where} and no choices: {words}; see what the gateway or the model behind it says"
        return Problem("server_error", message, passing=True, wait_s=wait_s)
    return _bad_request(error, words, where)


def _denied(status: int, words: str, where: str, channel: Channel) -> Problem:
    variable = channel.key_variable
    if channel.key == NO_KEY:
        message = f"{where}: it wants a key ({words}), and {variable} is not set; export it"
    elif status == 401:
        message = (
            f"{where}: it does not accept the key in {variable} ({words}); check that it is a key of this endpoint and "
            "still valid"
        )
    else:
        message = (
            f"{where}: the key in {variable} may not use the model {channel.model} ({words}); ask for access, or use "
            "another key or model"
        )
    return Problem("refused", message, fatal=True)


def _bad_request(error: Mapping[str, Any], words: str, where: str) -> Problem:
    named = str(error.get("param") or "")
    unknown = re.search(r"unsupported|unrecognized|unknown|not supported|extra inputs|unexpected", words.lower())
    found = named if named in FIELDS else next((f for f in FIELDS if unknown and re.search(rf"\b{f}\b", words)), None)
    if found:
        return Problem(
            "refused", f"{where}: it does not take the field {found} ({words}); set {FIELDS[found]}", fatal=True
        )
    return Problem("refused", f"{where}: it refuses the request ({words}); see rollout.endpoint and model")


def _missing(error: Mapping[str, Any], words: str, where: str, channel: Channel) -> Problem:
    """Explain a 404, which the client completes with the models that there are."""
    if NO_MODEL.search(f"{error.get('code')} {words}".lower()):
        return Problem("no_model", f"{channel.base_url} has no model {channel.model}", fatal=True)
    hint = "is it the right server" if channel.base_url.endswith("/v1") else "the address lacks /v1 at its end"
    return Problem(
        "refused",
        f"{where}: there is no such path ({words}); {hint}: check {channel.base_url_variable} or "
        "rollout.endpoint.base_url",
        fatal=True,
    )


def no_model(channel: Channel, offered: list[str]) -> str:
    """Say which models there are, in place of one that is missing or was not named."""
    asked = f"has no model {channel.model}" if channel.model else "is to be asked, but no model is named"
    shown = ", ".join(sorted(offered)[:20]) + (f" and {len(offered) - 20} more" if len(offered) > 20 else "")
    offers = f"it offers {shown}" if offered else "it does not say which it offers"
    return f"{channel.base_url} {asked}; {offers}; set {channel.model_variable} or rollout.endpoint.model"


def page(reply: Reply, channel: Channel) -> Problem:
    """Explain a web page."""
    title = re.search(r"<title[^>]*>\s*(.*?)\s*</title>", reply.text, re.S | re.I)
    named = f' titled "{" ".join(title[1].split())[:80]}"' if title else ""
    passing = reply.status in PASSING or reply.status >= 500  # a gateway speaks, not a wrong address
    return Problem(
        "rate_limit" if reply.status == 429 else "server_error" if passing else "refused",
        f"{channel.base_url} answers {reply.status} with a web page{named} instead of JSON; the address usually ends "
        f"in /v1, or a proxy or a login stands before it: check {channel.base_url_variable} or "
        "rollout.endpoint.base_url",
        passing=passing,
        fatal=not passing,
        wait_s=advice(reply.headers),
        limited=reply.status == 429,
    )


def moved(reply: Reply, channel: Channel) -> Problem:
    """Explain a redirect, which nobody follows: a POST may arrive as a GET, and elsewhere."""
    place = re.sub("//[^/]*@", "//", re.split("[?#]", channel.scrub(reply.headers.get("location", "")))[0])[:SHOWN]
    return Problem(
        "refused",
        f"{channel.base_url} answers {reply.status} and sends requests on to {place or 'no address'}; set "
        f"{channel.base_url_variable} or rollout.endpoint.base_url to the address of the endpoint itself",
        fatal=True,
    )


def broken(channel: Channel, what: str) -> Problem:
    """Explain an answer that cannot be read."""
    return Problem("broken_answer", f"{channel.base_url}: {what}; try again later", passing=True)
