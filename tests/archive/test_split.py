import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.archive import split
from openswerl.archive.split import blocks, spans

TEXT = st.text(max_size=12) | st.sampled_from(["}{", '"', "\\", "{", '{"id":"1","type":"X"}', "\u2028", "é"])
OBJECTS = st.lists(st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT, max_size=3), max_size=4), max_size=8)


def blocks_of(pieces: list[bytes]) -> list[bytes]:
    return [data[start:stop] for data, start, stop in blocks(pieces)]


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(data=st.lists(st.binary(max_size=20) | st.just(b"\n")).map(b"".join), size=st.integers(1, 30))
def test_blocks_are_the_input_cut_behind_line_ends(data, size):
    found = blocks_of(pieces_of(data, size))
    assert b"".join(found) == data
    assert all(block.endswith(b"\n") for block in found[:-1])
    assert all(found)


@given(objects=OBJECTS, gap=st.sampled_from(["", " ", "\t", "\r"]))
def test_objects_without_newlines_are_told_apart(objects, gap):
    data = gap.join(json.dumps(item, ensure_ascii=False) for item in objects).encode()
    found = list(spans(data))
    assert [json.loads(data[start:end]) for start, end, good in found if good] == objects
    assert all(good for *_, good in found)


@pytest.mark.parametrize("size", [1 << 16, 1 << 20])
def test_a_long_line_is_cut_between_objects(size):
    objects = [json.dumps({"n": n, "text": '}{"' * 50}).encode() for n in range(20_000)]
    data = b"".join(objects)
    assert len(data) > 3 * split.LONG_LINE
    found = blocks_of(pieces_of(data, size))
    assert b"".join(found) == data
    assert max(map(len, found)) < 2 * split.LONG_LINE + size
    rebuilt = [block[start:end] for block in found for start, end, good in spans(block) if good]
    assert rebuilt == objects


def test_a_line_that_never_ends_is_given_out_in_bounded_pieces():
    data = b"[" * (20 << 20)
    found = blocks_of(pieces_of(data, 1 << 18))
    assert b"".join(found) == data
    assert max(map(len, found)) <= split.MAX_LINE + (1 << 18)


def event(n: int) -> bytes:
    return b'{"id":"%d","type":"PushEvent","repo":{"id":1,"name":"a/b"},"created_at":"x","n":{"id":"5"}}' % n


def test_reading_resumes_at_the_next_whole_event():
    data = event(1) + event(2)[:40] + event(3) + b"\0\0\0" + event(4)
    assert [(data[start:end], good) for start, end, good in spans(data)] == [
        (event(1), True),
        (event(2)[:40], False),
        (event(3), True),
        (b"\0\0\0", False),
        (event(4), True),
    ]


@given(st.binary(max_size=60))
@settings(max_examples=200)
def test_spans_cover_all_but_white_space(data):
    position = 0
    for start, end, _ in spans(data):
        assert position <= start < end
        assert not data[position:start].decode("latin-1").strip()
        position = end
    assert not data[position:].decode("latin-1").strip()


def test_deep_nesting_is_a_fault_not_a_crash():
    deep = b'{"a":' * 100_000
    assert list(spans(deep)) == [(0, len(deep), False)]
    assert list(spans(deep + event(1)))[1:] == [(len(deep), len(deep + event(1)), True)]
