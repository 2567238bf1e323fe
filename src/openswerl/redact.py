"""Keep e-mail addresses and secrets out of everything that is stored.

What is found becomes a placeholder that depends on nothing but itself, so equal lines stay equal and unlike lines
unlike: the diff of redacted texts is the redacted diff. A placeholder cannot be read back, and no table of hashes made
elsewhere fits it. Whoever already holds an address can compute its placeholder, as the key is public: runs must agree.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from openswerl.secret_formats import secret_spans, suspects, suspicious

KEY = b"openswerl redaction"
DIGITS = 10
# A method's name may look like a top-level domain, as in W@x.reshape(2).
TOP = r"(?:[^\W\d_]{2,3}+(?![^\W\d_])|[^\W\d_]{4,}+(?!\())"
ADDRESS = re.compile(rf"(?<![\w.+-])[.+-]*+(?P<address>(?P<local>[\w.+-]++)(?:@|%40)(?P<domain>(?:[\w-]++\.)+{TOP}))")
MAYBE_ADDRESS = re.compile(r"@[\w-]++\.")  # the literal start makes it fast
MAYBE_ESCAPED = re.compile("%40")
RESERVED = re.compile(r"(?:.+\.)?(?:example\.(?:com|org|net)|invalid|test|example|localhost)", re.IGNORECASE)
VERSION = re.compile(r"v?\d+\.\d")
# Logins of ssh remotes, and labels of Kotlin: this@Outer.name.
NO_PERSON = frozenset(("git", "hg", "svn", "this", "super", "return", "break", "continue"))
FILES = frozenset(
    "png jpg jpeg gif svg webp ico bmp css scss less js jsx mjs cjs ts tsx json map html htm xml yml yaml toml txt "
    "lock tgz zip gz jar class exe dll min".split()
)

BEGIN_KEY = re.compile(
    r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----"
    r"|---- BEGIN (?P<ssh2>SSH2 ENCRYPTED PRIVATE KEY) ----"
    r"|PuTTY-User-Key-File-\d"
)
KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{40}")
KEY_HEADER = 600
LONGEST_KEY = 100_000


class Redacted(NamedTuple):
    """A text, and how many addresses and secrets were replaced in it."""

    text: str
    emails: int
    secrets: int


def redact(text: str) -> Redacted:
    """Redact prose: a private key goes as a whole, then as `redact_lines`."""
    keys = 0
    while (key := private_key(text)) is not None:
        start, end = key
        text = text[:start] + secret_placeholder(text[start:end]) + text[end:]
        keys += 1
    redacted = redact_lines(text)
    return redacted._replace(secrets=redacted.secrets + keys) if keys else redacted


def redact_lines(text: str) -> Redacted:
    r"""Redact each \n-terminated line by itself; private keys are the caller's to find."""
    text, secrets = _by_line(text, suspects(text), _without_secrets)
    return redact_addresses(text)._replace(secrets=secrets)


def redact_addresses(text: str) -> Redacted:
    r"""Redact each \n-terminated line of a text without secrets."""
    return Redacted(*_by_line(text, _signs_of_addresses(text), _without_addresses), 0)


def holds_secret(text: str) -> bool:
    """Whether `redact` would replace a private key or another secret."""
    return private_key(text) is not None or _by_line(text, suspects(text), _without_secrets)[1] > 0


def is_personal(local: str, domain: str) -> bool:
    """Whether local@domain may reach someone: not a reserved name, an ssh login, a version, or a file such as a@2x.png.

    Reserved are RFC 2606's names, which placeholders use too.
    """
    last = domain.rpartition(".")[2].lower()
    if local.lower() in NO_PERSON or last in FILES:
        return False
    return not RESERVED.fullmatch(domain) and not VERSION.match(domain)


def private_key(text: str) -> tuple[int, int] | None:
    """Return where the first private key starts and ends; None if there is at most a header without a key.

    A key without an end reaches to the end of the text.
    """
    if "PRIVATE KEY" not in text and "PuTTY-User-Key-File" not in text:
        return None
    for match in BEGIN_KEY.finditer(text):
        material = KEY_MATERIAL.search(text, match.end(), match.end() + KEY_HEADER)
        if material and material.end() <= (end := _key_end(text, match)):
            return match.start(), end
    return None


def email_placeholder(address: str) -> str:
    """Return what stands for an address; 40 bits, so that two of a million addresses may share one."""
    return f"u{_digest(address)}@redacted.invalid"


def secret_placeholder(secret: str) -> str:
    """Return what stands for a secret: a word, so that it stays inside whatever quotes it."""
    return f"REDACTED_{_digest(secret)}"


def _digest(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=DIGITS // 2, key=KEY).hexdigest()


def _by_line(text: str, places: Iterable[int], replace: Callable[[str], tuple[str, int]]) -> tuple[str, int]:
    """Replace in the lines that hold one of the places; return how often too."""
    pieces, done, count = [], 0, 0
    for place in sorted(places):
        if place < done:
            continue
        start = max(done, text.rfind("\n", done, place) + 1)
        end = text.find("\n", place) % (len(text) + 1)
        line, found = replace(text[start:end])
        pieces += [text[done:start], line]
        done, count = end, count + found
    return "".join([*pieces, text[done:]]), count


def _signs_of_addresses(text: str) -> Iterator[int]:
    """Yield where an address may be."""
    for sign in (MAYBE_ADDRESS, MAYBE_ESCAPED) if "%40" in text else (MAYBE_ADDRESS,):
        yield from (match.start() for match in sign.finditer(text))


def _without_secrets(line: str) -> tuple[str, int]:
    pieces, position, spans = [], 0, secret_spans(line) if suspicious(line) else []
    for start, end in spans:
        pieces += [line[position:start], secret_placeholder(line[start:end])]
        position = end
    return "".join([*pieces, line[position:]]), len(spans)


def _without_addresses(line: str) -> tuple[str, int]:
    pieces, position = [], 0
    for match in ADDRESS.finditer(line):
        if is_personal(match["local"], match["domain"]):
            pieces += [line[position : match.start("address")], email_placeholder(match["address"])]
            position = match.end()
    return "".join([*pieces, line[position:]]), len(pieces) // 2


def _key_end(text: str, match: re.Match[str]) -> int:
    limit = min(len(text), match.end() + LONGEST_KEY)
    if match.lastgroup is None:  # PuTTY's file ends with a hash of it
        return limit
    mark = f"END {match[match.lastgroup]}-----" if match.lastgroup == "kind" else f"END {match['ssh2']} ----"
    found = text.find(mark, match.end(), limit)
    return limit if found < 0 else found + len(mark)
