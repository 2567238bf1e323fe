import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openswerl.crawl import split
from openswerl.crawl.split import spans, split_lines

TEXT = st.text(max_size=12) | st.sampled_from(["}{", '"', "\\", "{", '{"id":"1","type":"X"}', "\u2028", "é"])
OBJECTS = st.lists(st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT, max_size=3), max_size=4), max_size=8)


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(lines=st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line)), size=st.integers(1, 30))
def test_lines_and_offsets(lines, size):
    data = b"\n".join(lines)
    found = list(split_lines(pieces_of(data, size)))
    assert [line for _, line in found] == (lines or [b""])
    assert all(data[offset : offset + len(line)] == line for offset, line in found)


@given(objects=OBJECTS, gap=st.sampled_from(["", " ", "\t", "\r"]))
def test_objects_without_newlines_are_told_apart(objects, gap):
    data = gap.join(json.dumps(item, ensure_ascii=False) for item in objects).encode()
    found = list(spans(data))
    assert [json.loads(data[start:end]) for start, end, good in found if good] == objects
    assert all(good for *_, good in found)


@pytest.mark.parametrize("size", [1 << 16, 1 << 20])
def test_a_long_file_without_newlines_comes_object_by_object(size):
    objects = [json.dumps({"n": n, "text": '}{"' * 50}).encode() for n in range(30_000)]
    data = b"".join(objects)
    assert len(data) > split.LONG_LINE
    found = list(split_lines(pieces_of(data, size)))
    assert all(data[offset : offset + len(line)] == line for offset, line in found)
    rebuilt = [line[start:end] for _, line in found for start, end, good in spans(line) if good]
    assert rebuilt == objects
    assert len(found) > 1000


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
