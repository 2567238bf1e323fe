from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.kept import AT_ONCE, Kept

PAIRS = st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=5)), max_size=20)


@given(PAIRS, st.lists(st.binary(max_size=3), max_size=5))
def test_the_first_value_of_a_key_is_found_and_nothing_else(tmp_path_factory, pairs, others):
    kept, first = Kept(tmp_path_factory.mktemp("kept") / "k", "it", "x"), {}
    for key, value in pairs:
        kept.put(key, value)
        first.setdefault(key, value)
    asked = [*first, *others]
    assert dict(kept.find(asked)) == first and kept.count() == len(first)
    kept.close()


def test_more_keys_than_one_query_takes_are_found(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new" / "k", "it", "x")
    keys = [str(number).encode() for number in range(AT_ONCE + 1)]
    for key in keys:
        kept.put(key, key)
    assert dict(kept.find(keys)) == dict(zip(keys, keys, strict=True))


@pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"no database" * 100), lambda path: path.mkdir()])
def test_what_is_no_table_is_one_line(tmp_path: Path, make) -> None:
    make(tmp_path / "k")
    with pytest.raises(UserError, match=r"the answers at .*k cannot be used \(.*\): delete it"):
        Kept(tmp_path / "k", "the answers", "delete it")
