import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.redact import (
    email_placeholder,
    holds_secret,
    private_key,
    redact,
    redact_addresses,
    redact_lines,
    secret_placeholder,
)

TOKEN = "ghp_" + "aB3" * 12
AWS = "AKIA" + "Q7Z2" * 4
PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----".format("\n".join(["MIIEpAIB" * 8] * 4))
ADDRESSES = [
    "john.doe@gmail.com",
    "j+tag@sub.mail.co.uk",
    "a_b-c@163.com",
    "X@Y.ORG",
    "Müller@exämple.de",
    "12345+ann@users.noreply.github.com",
    "john%40gmail.com",
    "ann@uni-x.museum",
]
KEPT = [
    "me@example.com",
    "me@mail.example.org",
    "me@x.invalid",
    "u0123456789@redacted.invalid",
    "root@localhost",
    "a@b.test",
    "user@host",
    "git@github.com:owner/name.git",
    "ssh://git@gitlab.com/x",
    "icon@2x.png",
    "logo@3x.min.jpg",
    "react@16.8.0-alpha.next",
    "pkg@v1.2",
    "@types/node",
    "@app.route('/')",
    "@someone, see @other.",
    "com.acme:lib@aar",
    "y = W@x.reshape(2)",
    "this@Outer.name",
    "a @ b . com",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "frame", ["{}", "<{}>", "mail {}. Then", "({})", "mailto:{},", "'{}'", "+{}", "-{}--", "x\n{}\n"]
)
def test_an_address_is_replaced_and_its_surroundings_are_not(address, frame):
    assert redact(frame.format(address)) == (frame.format(email_placeholder(address)), 1, 0)


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_persons_address_is_kept(text):
    assert redact(f"see {text} there") == (f"see {text} there", 0, 0)


def test_placeholders_tell_addresses_apart_and_nothing_else():
    placeholders = {email_placeholder(f"user{n}@gmail.com") for n in range(20_000)}
    assert len(placeholders) == 20_000
    assert email_placeholder("a@b.de") == email_placeholder("a@b.de") != email_placeholder("A@b.de")
    assert secret_placeholder(TOKEN).isidentifier()


def test_secrets_are_counted_and_replaced_alike_wherever_they_stand():
    found = redact(f'push https://{TOKEN}:x@host/a\ntoken = "{TOKEN}"\r\nid={AWS}')
    hidden = secret_placeholder(TOKEN)
    assert found == (f'push https://{hidden}:x@host/a\ntoken = "{hidden}"\r\nid={secret_placeholder(AWS)}', 0, 3)


def test_a_private_key_goes_as_a_whole():
    text = f"before a@b.de\n{PEM}\nbetween\n{PEM}\nafter {AWS}"
    hidden = secret_placeholder(PEM)
    placeholders = email_placeholder("a@b.de"), secret_placeholder(AWS)
    expected = f"before {placeholders[0]}\n{hidden}\nbetween\n{hidden}\nafter {placeholders[1]}"
    assert redact(text) == (expected, 1, 3)


@pytest.mark.parametrize(
    "key",
    [
        PEM,
        PEM.replace("RSA ", "").replace("\n", "\\n"),
        PEM.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,12AB\n\n", 1),
        PEM.replace("RSA", "OPENSSH"),
        PEM.replace("RSA", "ENCRYPTED"),
        PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK").replace("\n", "\nVersion: GnuPG v1\nComment: x\n\n", 1),
        PEM.replace("-----", "---- ", 1).replace("RSA PRIVATE KEY-----", "SSH2 ENCRYPTED PRIVATE KEY ----", 1),
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 6\n" + "A" * 64,
        PEM.partition("\n-----END")[0],
    ],
)
def test_forms_of_private_keys(key):
    assert private_key(f"key: {key}") == (5, 5 + len(key))


@pytest.mark.parametrize(
    "text", ["-----BEGIN RSA PRIVATE KEY-----", "if 'BEGIN RSA PRIVATE KEY' in x:", "my PRIVATE KEY"]
)
def test_the_header_alone_is_no_key(text):
    assert private_key(text + "\n" + "not a key. " * 90 + "A" * 64) is None
    assert redact(text) == (text, 0, 0)


PIECES = st.sampled_from(
    [*ADDRESSES, *KEPT, TOKEN, AWS, PEM, "@", "@x.", "a@b.co", "\n", "\r\n", " ", "+", "-", "\ud83d", "%40"]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=5), st.from_regex(r"[\w.+@%-]{1,20}", fullmatch=True))).map("".join)


@given(TEXTS)
def test_redaction_is_local_to_the_line_and_final(text):
    found = redact_lines(text)
    parts = [redact_lines(line) for line in text.split("\n")]
    assert found.text == "\n".join(part.text for part in parts)
    assert found[1:] == (sum(part.emails for part in parts), sum(part.secrets for part in parts))
    assert redact_lines(found.text) == (found.text, 0, 0)
    whole = redact(text)
    assert redact(whole.text) == (whole.text, 0, 0)


@given(TEXTS)
def test_texts_without_secrets_need_their_addresses_redacted_alone(text):
    found = redact(text)
    assert holds_secret(text) == (found.secrets > 0)
    assert holds_secret(text) or redact_addresses(text) == found


@given(st.lists(TEXTS))
def test_texts_may_be_asked_for_a_secret_together(texts):
    assert holds_secret("\n".join(texts)) or not any(map(holds_secret, texts))


@given(TEXTS, st.sampled_from("+- "))
def test_a_line_of_a_diff_is_redacted_as_the_line(text, sign):
    line = text.replace("\n", "")
    assert redact_lines(sign + line).text == sign + redact_lines(line).text


LINES = st.lists(
    st.sampled_from(["a", "  b", "", f"k = '{TOKEN}'", f"id {AWS}", "by a@b.de", "by c@d.de", "x@example.com"])
)


@settings(max_examples=30, deadline=None)
@given(LINES, LINES)
def test_the_diff_of_redacted_texts_is_the_redacted_diff(tmp_path_factory, old, new):
    raw = _hunks(tmp_path_factory.mktemp("raw"), old, new)
    redacted = _hunks(tmp_path_factory.mktemp("red"), *([redact_lines(x).text for x in side] for side in (old, new)))
    assert redacted == [redact_lines(line).text for line in raw]


def _hunks(folder, old, new) -> list[str]:
    for name, lines in (("old", old), ("new", new)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(["git", "diff", "--no-index", "old", "new"], cwd=folder, capture_output=True, text=True)
    return done.stdout.split("\n")[4:]


@pytest.mark.parametrize(
    "unit", ["a.", "@", "a@", "a@b.", "+", "eyJ", "%40", "-----BEGIN PRIVATE KEY-----\n", "aws key "]
)
def test_megabytes_of_what_is_nearly_something_are_survived(unit):
    """Patterns that go back over what they read would take hours here."""
    text = unit * ((1 << 20) // len(unit))
    assert redact(text) == (text, 0, 0)
