import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.evaluate.mini.journal import fill, read_rows
from openswerl.progress import Progress


class Row(msgspec.Struct):
    number: int
    text: str


def _fill(path: Path, sizes: list[int], digest: str = "d", stop: int | None = None) -> list[int]:
    """Fill a journal with parts of these sizes; returns the numbers of the parts that were made."""
    made = []

    def make(part: tuple[int, int]) -> Iterator[Row]:
        number, size = part
        if number == stop:
            raise KeyboardInterrupt
        made.append(number)
        return (Row(number * 10 + k, "é\ud800") for k in range(size))

    with contextlib.suppress(KeyboardInterrupt):
        fill(path, digest, enumerate(sizes), lambda part: part[1], make, Progress("x", sum(sizes)))
    return made


@given(sizes=st.lists(st.integers(0, 4), max_size=6), cut=st.integers(0, 600))
def test_a_file_cut_anywhere_is_filled_to_the_same_bytes(tmp_path_factory: Any, sizes: list[int], cut: int) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    _fill(path, sizes)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    _fill(path, sizes)
    assert path.read_bytes() == whole
    assert [row.number for row in read_rows(path, Row)] == [
        n * 10 + k for n, size in enumerate(sizes) for k in range(size)
    ]


def test_parts_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "j.jsonl"
    assert _fill(path, [2, 1, 3], stop=2) == [0, 1]
    assert _fill(path, [2, 1, 3]) == [2]
    assert _fill(path, [2, 1, 3]) == []
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:5]))
    assert _fill(path, [2, 1, 3]) == [2] and path.read_text() == "".join(lines)


def test_rows_of_another_digest_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    _fill(path, [2])
    assert _fill(path, [1], digest="e") == [0]
    assert json.loads(path.read_text().splitlines()[0]) == {"digest": "e"} and len(list(read_rows(path, Row))) == 1


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    _fill(path, [3])
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], '{"number": "x"}\n', *lines[3:]]))
    with pytest.raises(UserError, match=r"j\.jsonl line 3 is damaged"):
        list(read_rows(path, Row))
