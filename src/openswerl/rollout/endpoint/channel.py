"""Where an endpoint is and by which key it is asked: from the config, or from the environment variables it names."""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self
from urllib.parse import quote, urlsplit

from omegaconf import DictConfig

from openswerl.errors import UserError

LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
NO_KEY = "none"  # the client wants some word; a server on this machine asks for none
# What people put where a server wants no key: hiding such a word would spoil answers that hold it.
PLACEHOLDERS = (NO_KEY, "empty", "dummy", "fake", "test", "key", "token", "ollama", "lm-studio", "not-needed")
LEAST = 4  # characters of a secret
HIDDEN = "[key]"


@dataclass(frozen=True)
class Channel:
    """An address without a slash at its end, a key, a model id, and the variables that these are usually read from."""

    base_url: str
    key: str = field(repr=False)
    model: str | None
    key_variable: str = "OPENAI_API_KEY"
    base_url_variable: str = "OPENAI_BASE_URL"
    model_variable: str = "OPENAI_MODEL"

    @classmethod
    def of(cls, endpoint: DictConfig, environ: Mapping[str, str]) -> Self:
        """Return the channel of `rollout.endpoint`. Raises UserError for an address or a key that cannot be right.

        The model may be None: what the endpoint offers is then for the client to say.
        """
        base_url = _base_url(endpoint, environ)
        return cls(
            base_url,
            _key(endpoint.key_variable, base_url, environ),
            endpoint.model or environ.get(endpoint.model_variable, "").strip() or None,
            endpoint.key_variable,
            endpoint.base_url_variable,
            endpoint.model_variable,
        )

    @property
    def host(self) -> str:
        """The name or number of the machine."""
        return urlsplit(self.base_url).hostname or ""

    def scrub(self, text: str) -> str:
        """Return a text of the server without the key, which it may have echoed, escaped or not."""
        if len(self.key) < LEAST or self.key.lower() in PLACEHOLDERS:
            return text
        for form in _forms(self.key):
            text = text.replace(form, HIDDEN)
        return text


@lru_cache
def _forms(key: str) -> list[str]:
    """Return a key as it looks in text, addresses, web pages, and JSON within JSON; the longest first."""
    forms = {key, quote(key), quote(key, safe=""), html.escape(key)}
    for _ in range(3):
        forms |= {json.dumps(form)[1:-1] for form in forms}
        forms |= {form.replace("/", "\\/") for form in forms}  # some servers write JSON so
    return sorted(forms, key=len, reverse=True)


def _base_url(endpoint: DictConfig, environ: Mapping[str, str]) -> str:
    named = "rollout.endpoint.base_url" if endpoint.base_url else endpoint.base_url_variable
    text = (endpoint.base_url or environ.get(endpoint.base_url_variable, "")).strip().rstrip("/")
    if not text:
        raise UserError(
            f"rollout=openai has no address: set {endpoint.base_url_variable} (it usually ends in /v1), or "
            "rollout.endpoint.base_url"
        )
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise UserError(f"{named} is not an address like https://host/v1")
    if "@" in parts.netloc:
        raise UserError(
            f"{named} holds a user name or a password, which would be written to logs: put the key into "
            f"{endpoint.key_variable}"
        )
    if parts.query or parts.fragment or re.search(r"/(completions|responses|embeddings|models)$", parts.path):
        raise UserError(
            f"{named} is {text.split('?')[0]}, the address of one request: give what comes before its path, such as "
            "https://host/v1"
        )
    return text


def _key(variable: str, base_url: str, environ: Mapping[str, str]) -> str:
    key = environ.get(variable, "")
    if not key.strip():
        if urlsplit(base_url).hostname in LOCAL:
            return NO_KEY
        state = "empty" if variable in environ else "not set"
        raise UserError(
            f"no API key for {base_url}: the environment variable {variable} is {state}; export it, or name another in "
            "rollout.endpoint.key_variable"
        )
    if fault := _fault(key):
        raise UserError(f"the API key in {variable} {fault}: set it again without")
    return key


def _fault(key: str) -> str | None:
    """Say what is wrong with a key, which no header could carry; never the key itself."""
    if "\n" in key or "\r" in key:
        return "holds a line break"
    if key != key.strip():
        return "has spaces around it"
    if re.search(r"\s", key):
        return "has spaces within it"
    if not key.isascii() or not key.isprintable():
        return "holds characters that no key has"
    return "has quotation marks around it" if key[0] in "'\"" else None
