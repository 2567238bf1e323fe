import base64
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.secret_formats import patterns, secret_spans, suspicious

DIGITS = string.ascii_letters + string.digits
PRINTABLE = "".join(map(chr, range(32, 127)))
LONG = re.compile(r"[A-Za-z0-9_-]{20}|[A-Za-z0-9/+=]{40}")


def jwt() -> str:
    parts = [b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}', bytes(range(32))]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


DISCORD_ID = base64.b64encode(b"162505203123412345").decode()
# As the services' own documentation describes them; none is real.
SECRETS = {
    "aws id": "AKIA" + "Z3" * 8,
    "aws key": "wJalr/UtnFEMI+K7MDENGbPxRfiCYabcdefghijk",
    "azure": "AccountKey=" + "aB3+" * 21 + "a/==",
    "discord": f"{DISCORD_ID}.Cl2FMQ.{'a-B_3' * 5}xy",
    "github": "ghp_" + "aB3" * 12,
    "github fine-grained": "github_pat_" + "aB3_" * 20 + "xy",
    "gitlab": "glpat-" + "aB-3" * 5,
    "google": "AIza" + "aB_-3" * 7,
    "jwt": jwt(),
    "mailchimp": "0a1b" * 8 + "-us12",
    "npm": "npm_" + "aB3" * 12,
    "openai": "sk-" + "aB3x" * 5 + "T3BlbkFJ" + "aB3x" * 5,
    "pypi": "pypi-AgEIcHlwaS5vcmc" + "aB3_-x" * 13,
    "sendgrid": "SG." + "aB3_-x" * 3 + "abcd." + "aB3_-x" * 7 + "a",
    "slack": "xoxb-1234567890-1234567890-" + "aB3" * 8,
    "slack webhook": "https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/" + "aB3x" * 6,
    "square": "sq0csp-" + "aB3_-x" * 7 + "a",
    "stripe": "sk_live_" + "aB3x" * 6,
    "telegram": "110201543:" + "AA-_b" * 7,
    "twilio": "SK" + "0a1b" * 8,
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("frame", ["{}", "{} ", "é {}!", '"{}"', "https://x:{}@host/"])
def test_real_formats(kind, frame):
    frame = "aws_secret_key = '{}'  # é" if kind == "aws key" else frame
    line, start = frame.format(SECRETS[kind]), frame.index("{}")
    assert suspicious(line)
    assert secret_spans(line) == [(start, start + len(SECRETS[kind]))]


@pytest.mark.parametrize(
    "text",
    [
        "244b1724f0b6b0e7a3d6e5b1c0ffee1234567890",
        "MyVeryLongModuleNameThings.module.someLongFunctionNameHere_An",
        "eyJhbGciOiJub25lIn0.notjsonatallnotjson",
        "ghp_short",
        "A" * 200,
        "-" * 80,
        "https://github.com/owner/repository-name/pull/1234/commits/244b1724f0b6b0e7a3d6e5b1c0ffee1234567890",
    ],
)
def test_what_is_no_secret(text):
    assert not suspicious(text) or secret_spans(text) == []


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.pattern[:30])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_cheap_test_lets_through_whatever_a_pattern_finds(pattern, data):
    text = data.draw(st.from_regex(pattern, alphabet=PRINTABLE))
    assert suspicious(text) or not any(LONG.search(text[start:end]) for start, end in secret_spans(text))


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(set(SECRETS) - {"aws key"})),
    st.text("aZ9_-./:'\" é\n", max_size=50),
    st.text("aZ9-. '\"é", max_size=50),
)
def test_the_cheap_test_does_not_depend_on_what_stands_around(kind, before, after):
    assert suspicious(f"{before}{SECRETS[kind]}{after}") or not secret_spans(f"{before}{SECRETS[kind]}{after}")


def test_a_webhook_whose_first_part_alone_is_long():
    text = f"https://hooks.slack.com/services/T{'0' * 19}/B0/0"
    assert suspicious(text) and secret_spans(text)
