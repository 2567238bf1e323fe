"""Hour files with every kind of damage: nothing crashes, every byte is accounted for, and what is whole is kept."""

import gzip
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from archive.hours import (
    comment_event,
    dumps,
    issue,
    modern,
    old,
    old_pull_event,
    pull,
    pull_event,
    push_event,
    read,
    thin_event,
)
from openswerl.archive.events import WANTED

Lines = list[bytes]
SPACE = b" \t\r\n"
SPECIAL = [
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\n",
    b"\0",
    b"\xff",
    b'{"id":"',
    b"\\ud800",
    b"NaN",
    b"9" * 25,
    b"[" * 2000,
    b",",
    b"\r\n",
]


def events_of(rng: random.Random) -> Lines:
    """A few lines of one generation, or of all."""
    number = rng.randrange(1, 10**6)
    small = {key: value for key, value in pull(number).items() if key not in ("merged", "commits")}
    makers: list[Callable[[], dict]] = [
        lambda: pull_event(number, body=rng.choice([None, "a\n\u2028 \U0001f600", "x" * 3000])),
        lambda: comment_event(number),
        lambda: push_event(number, rng.choice(['{"id":"5","type":"PullRequestEvent"', "fix", '}{"'])),
        lambda: thin_event(number),
        lambda: modern("IssuesEvent", {"action": "opened", "issue": issue(number)}, number),
        lambda: modern("WatchEvent", {"action": "started"}, number),
        lambda: modern("PullRequestReviewEvent", {"action": "created", "review": {"id": 5}, "pull_request": small}),
        lambda: old_pull_event(number),
        lambda: old("IssueCommentEvent", {"issue_id": 1, "comment_id": 6}, "pull/229#issuecomment-6"),
        lambda: old("PushEvent", {"shas": [["a" * 40, "x@y.invalid", "m", "n", True]]}),
    ]
    return [dumps(rng.choice(makers)()) for _ in range(rng.randrange(1, 7))]


def torn(rng: random.Random, line: bytes) -> bytes:
    cut = rng.randrange(len(line) + 1)
    return rng.choice([line[:cut], line[cut:], line[:cut] + rng.choice(SPECIAL) + line[cut:]])


def flipped(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def text_of(rng: random.Random, lines: Lines) -> bytes:
    """Join the lines, some of them damaged, by newlines or by something else."""
    damaged = [rng.choice([torn, flipped])(rng, line) if rng.random() < 0.3 else line for line in lines]
    ends = rng.choice([[b"\n"], [b""], [b"\r\n"], [b"\n", b"", b" ", b"\0\0\0", b"\n\n"]])
    return b"".join(line + rng.choice(ends) for line in damaged)


def file_of(rng: random.Random, text: bytes) -> bytes:
    """Compress the text, in one member or two, and damage the result now and then."""
    cut = rng.randrange(len(text) + 1)
    data = rng.choice([gzip.compress(text, 1), gzip.compress(text[:cut], 1) + gzip.compress(text[cut:], 1)])
    if rng.random() < 0.7:
        return data
    return rng.choice(
        [data[: rng.randrange(len(data))], flipped(rng, data), data + b"\0" * 50, data + b"junk", text, b""]
    )


def inflated(data: bytes) -> bytes | None:
    """Return what a clean gzip file holds, None if it is not clean."""
    found, rest = b"", data
    while rest:
        stream = zlib.decompressobj(wbits=31)
        try:
            found += stream.decompress(rest)
        except zlib.error:
            return None
        if not stream.eof:
            return None
        rest = stream.unused_data
    return found if data else None


def check(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    rows, bad, reader = read(path)
    account = reader.account
    assert account.balanced
    assert account.kept == len(rows)
    assert account.quarantine.total() == len(bad)
    assert account.quarantined_bytes == sum(item.length for item in bad)
    assert all(len(item.sample) <= 200 for item in bad)
    text = inflated(data)
    if text is None:
        assert bad
        return
    assert account.input_bytes == len(text)
    check_stretches(text, rows, bad, account)


def check_stretches(text: bytes, rows: list[dict], bad: list, account) -> None:
    """Check against the text itself: where rows and quarantine are, and what the lines that are whole hold."""
    decoder, plain = json.JSONDecoder(), text.decode("latin-1")
    kept = [(row["offset"], decoder.raw_decode(plain, row["offset"])[1]) for row in rows]
    stretches = sorted(kept + [(item.offset, item.offset + item.length) for item in bad if item.length])
    ends = [0, *(end for _, end in stretches)]
    assert all(end <= start for end, (start, _) in zip(ends, stretches, strict=False))
    assert sum(end - start for start, end in kept) == account.kept_bytes
    gaps = [text[end:start] for end, (start, _) in zip(ends, [*stretches, (len(text), 0)], strict=True)]
    others = b"".join(gaps)
    assert len(others) == account.other_bytes + account.separator_bytes
    assert account.separator_bytes <= sum(others.count(bytes([byte])) for byte in SPACE)
    if not account.other_events:
        assert not others.strip(SPACE)
    check_whole_lines(text, rows)


def check_whole_lines(text: bytes, rows: list[dict]) -> None:
    """A line that is an undamaged event of a wanted type is never lost."""
    offsets, position = {row["offset"] for row in rows}, 0
    for line in text.split(b"\n"):
        if line in PRISTINE and PRISTINE[line] in WANTED:
            assert position in offsets
        position += len(line) + 1


PRISTINE: dict[bytes, str] = {}


def fuzz(folder: Path, seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        lines = events_of(rng)
        PRISTINE.clear()
        PRISTINE.update({line: json.loads(line)["type"] for line in lines})
        try:
            check(folder / "2015-01-01-0.json.gz", file_of(rng, text_of(rng, lines)))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_fuzz_some(tmp_path):
    fuzz(tmp_path, range(500))


@pytest.mark.slow
def test_fuzz_ten_thousand_hour_files(tmp_path):
    fuzz(tmp_path, range(500, 10_500))


@pytest.mark.slow
def test_fuzz_real_lines(tmp_path, gharchive):
    pool = []
    for path in [*sorted(gharchive.glob("2*.json.gz")), gharchive / "random-sample-2014-2021.json.gz"]:
        pool += [line for line in gzip.decompress(path.read_bytes()).split(b"\n") if 0 < len(line) < 20_000]
    for seed in range(1000):
        rng = random.Random(seed)
        lines = rng.sample(pool, 3)
        PRISTINE.clear()
        PRISTINE.update({line: json.loads(line)["type"] for line in lines})
        check(tmp_path / "2015-01-01-0.json.gz", file_of(rng, text_of(rng, lines)))
