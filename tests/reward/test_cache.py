from hypothesis import given
from hypothesis import strategies as st

from openswerl.reward import Call, Score
from openswerl.reward.cache import ScoreCache, key_of
from openswerl.reward.settings import Place

FILES = st.dictionaries(st.text("ab", max_size=2), st.text("ab\ud800", max_size=3), max_size=2)
CALLS = st.builds(Call, FILES, FILES, st.text("ab", max_size=3), st.sampled_from([None, Place("i", "r", "c")]))


@given(CALLS, CALLS)
def test_keys_are_equal_if_and_only_if_the_calls_are(first: Call, second: Call) -> None:
    assert (key_of(first) == key_of(second)) == (first == second)


def test_the_least_recently_used_score_goes_first() -> None:
    cache = ScoreCache(2)
    for key in (b"a", b"b"):
        cache.put(key, Score(0.5, seconds=1.0))
    found = cache.get(b"a")
    assert found == Score(0.5) and found is not None and found.seconds == 0.0
    cache.put(b"c", Score(0.25))
    assert cache.get(b"b") is None
    assert (cache.get(b"a"), cache.get(b"c")) == (Score(0.5), Score(0.25))


def test_what_depends_on_the_load_is_not_kept() -> None:
    cache = ScoreCache(2)
    cache.put(b"a", Score(None, "timeout"))
    assert cache.get(b"a") is None


def test_no_room_keeps_nothing() -> None:
    cache = ScoreCache(0)
    cache.put(b"a", Score(0.5))
    assert cache.get(b"a") is None
