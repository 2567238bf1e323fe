"""Tokens and keys that their format gives away: the precise patterns of detect-secrets, and a few that it lacks.

Left out are its guesses: entropy, keywords, assignments to suspicious names, passwords in addresses, and Artifactory's,
which takes ordinary upper-case words. Every text of an archive is asked for, so two cheap tests come first.
"""

import base64
import binascii
import functools
import importlib
import re
import string
from collections.abc import Iterator
from typing import Any

PLUGINS = {
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "mailchimp": "MailchimpDetector",
    "openai": "OpenAIDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
LACKING = (
    re.compile(r"github_pat_[A-Za-z0-9_]{82}"),
    re.compile(r"AIza[0-9A-Za-z_-]{35}"),
    re.compile(r"npm_[A-Za-z0-9]{36}"),
    re.compile(r":_authToken=([A-Fa-f0-9-]{36})"),
)

# What has no run of 20 word characters and none of 40 base64 digits is too short for a secret.
SHORTEST = 20
WORD_RUN, BASE64_RUN = b"a" * SHORTEST, b"a" * 40
WORD = set((string.ascii_letters + string.digits + "_-").encode())
BASE64 = set((string.ascii_letters + string.digits + "/+=").encode())
WORD_TABLE, BASE64_TABLE = (bytes(b"a "[byte not in digits] for byte in range(256)) for digits in (WORD, BASE64))
# Whatever a pattern finds holds one of these in such a run or up to 64 bytes before it (tests/test_secret_formats.py).
CONTEXT = 64
WORD_MARK = re.compile(  # every branch starts with a literal, which makes it fast
    rb"A3T|ABIA|ACCA|AKIA|ASIA|A[CK][a-z0-9]{32}|S[CK][a-z0-9]{32}|T3BlbkFJ|AIza|eyJ|SG\.|sq0csp-|k_live_|gh[pousr]_"
    rb"|github_pat_|npm_|_authToken=|pypi-AgE|gl\w{2,5}-|GR1348941|x[oO][xX]|X[oO][xX]|-us\d"
    rb"|/[sS][eE][rR][vV][iI][cC][eE][sS]/[tT]|:[\w-]{35}|\.[\w-]{6}\.[\w-]{27}"
)
BASE64_MARK = re.compile(rb"AccountKey=|/[sS][eE][rR][vV][iI][cC][eE][sS]/[tT]|['\"][0-9a-zA-Z/+]{40}['\"]")
DISCORD = re.compile(r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27}")
# The plugin's own pattern takes quadratic time on base64 of JSON, such as source maps, and leaves the signature.
JWT = re.compile(r"(?<![\w=-])(?=([\w=-]*?)eyJ)[\w=-]++\.[\w=-]++(?:\.[\w+/=-]*+)?", re.ASCII)


def secret_spans(line: str) -> list[tuple[int, int]]:
    """Return where a line's secrets start and end, in order, overlaps merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_spans(line)):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def suspicious(text: str) -> bool:
    """Whether a text may hold a secret; false is certain."""
    return any(True for _ in suspects(text))


def suspects(text: str) -> Iterator[int]:
    """Yield places, each in a line that may hold a secret; lines without a place hold none."""
    if len(text) < SHORTEST:
        return
    data = text.encode("ascii", "replace")  # of the same length
    yield from _marked(data, data.translate(WORD_TABLE), WORD_RUN, WORD_MARK)
    yield from _marked(data, data.translate(BASE64_TABLE), BASE64_RUN, BASE64_MARK)


def _marked(data: bytes, runs: bytes, shortest: bytes, mark: re.Pattern[bytes]) -> Iterator[int]:
    """Yield where a long run of `a` in `runs` starts that has a mark there in `data`."""
    start = runs.find(shortest)
    while start >= 0:
        end = runs.find(b" ", start) % (len(runs) + 1)
        if mark.search(data, max(0, start - CONTEXT), end + 1):
            yield start
        start = runs.find(shortest, end)


@functools.cache
def patterns() -> tuple[re.Pattern[str], ...]:
    """Return all patterns; where a group holds 20 characters or more, that is the secret, else the whole match."""
    return (*(pattern for plugin in PLUGINS.items() for pattern in _plugin(*plugin).denylist), *LACKING)


def _plugin(name: str, kind: str) -> Any:
    return getattr(importlib.import_module(f"detect_secrets.plugins.{name}"), kind)


def _spans(line: str) -> Iterator[tuple[int, int]]:
    for pattern in patterns():
        for match in pattern.finditer(line):
            group = next((n for n in range(1, pattern.groups + 1) if len(match[n] or "") >= SHORTEST), 0)
            start, end = match.span(group)
            if end - start >= SHORTEST and (not DISCORD.fullmatch(match[0]) or _is_discord(match[0])):
                yield start, end
    if "eyJ" in line:
        valid = _plugin("jwt", "JwtTokenDetector").is_formally_valid
        for match in JWT.finditer(line):
            if valid(line[match.end(1) : match.end()]):
                yield match.end(1), match.end()


def _is_discord(token: str) -> bool:
    """Whether a token starts with a number, in base64: dotted names of code do not."""
    first = token.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).isdigit()
    except binascii.Error:
        return False
