import gzip
import random
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openswerl.archive.gz import DamagedError, read_gzip

DATA = b"".join(b"%d %d\n" % (n, random.Random(n).getrandbits(60)) for n in range(20_000))
PACKED = gzip.compress(DATA)


def read(path: Path) -> tuple[bytes, str]:
    """Return what was read, and the reason why reading ended ("" at a clean end)."""
    data, reason, _ = read_all(path)
    return data, reason


def read_all(path: Path) -> tuple[bytes, str, int]:
    """Return what was read, the reason why reading ended, and how many bytes of the file were of no use."""
    pieces = []
    try:
        for piece in read_gzip(path):
            pieces.append(piece)
    except DamagedError as error:
        return b"".join(pieces), error.reason, error.unread
    return b"".join(pieces), "", 0


def test_good_file_is_read_whole(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED)
    assert read(path) == (DATA, "")


def test_members_follow_one_another(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(b"".join(gzip.compress(DATA[at : at + 5000]) for at in range(0, len(DATA), 5000)))
    assert read(path) == (DATA, "")


@pytest.mark.parametrize("cut", [3, 100, len(PACKED) // 2, len(PACKED) - 3])
def test_truncated_file_gives_all_that_it_holds(tmp_path, cut):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED[:cut])
    assert read(path) == (zlib.decompressobj(wbits=31).decompress(PACKED[:cut]), "truncated_gzip")


@pytest.mark.parametrize("tail", [b"garbage" * 10, b"\0" * 600 + b"garbage" * 5])
def test_garbage_after_the_stream_costs_nothing(tmp_path, tail):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED + tail)
    data, reason, unread = read_all(path)
    assert (data, reason) == (DATA, "corrupt_gzip")
    assert len(tail.strip(b"\0")) - 64 <= unread <= len(tail)


def test_padding_is_reported_and_costs_nothing(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED + b"\0" * 200_000)
    assert read_all(path) == (DATA, "nul_padding", 200_000)


def test_wrong_checksum_costs_at_most_the_last_bytes(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED[:-6] + bytes([PACKED[-6] ^ 255]) + PACKED[-5:])
    found, reason = read(path)
    assert reason == "corrupt_gzip"
    assert DATA.startswith(found) and len(found) > len(DATA) - 1000


@pytest.mark.parametrize("content", [b"", b"\x1f", b"AASDSADS", b'{"type":"PushEvent"}\n'])
def test_not_gzip(tmp_path, content):
    path = tmp_path / "a.json.gz"
    path.write_bytes(content)
    assert read_all(path) == (b"", "not_gzip" if content else "empty_file", len(content))


def test_folder_in_place_of_a_file(tmp_path):
    assert read(tmp_path) == (b"", "unreadable")


@given(at=st.integers(20, len(PACKED) - 1), flip=st.integers(1, 255))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_flipped_byte_never_costs_what_came_before_it(tmp_path, at, flip):
    path = tmp_path / "a.json.gz"
    path.write_bytes(PACKED[:at] + bytes([PACKED[at] ^ flip]) + PACKED[at + 1 :])
    found, _ = read(path)
    before = zlib.decompressobj(wbits=31).decompress(PACKED[: max(0, at - 64)])
    assert found.startswith(before)
