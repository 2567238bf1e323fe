import numpy as np

from curate.pulls import change, diff_of
from openswerl.curate.sketches import BANDS, bands, shingles, similarity, sketch


def sets(shared: int, own: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = np.random.default_rng(0).integers(0, 2**63, shared + 2 * own, dtype=np.uint64)
    return drawn[: shared + own], np.concatenate([drawn[:shared], drawn[shared + own :]])


def test_the_estimate_is_near_the_jaccard_similarity():
    for shared, own in ((900, 50), (500, 250), (0, 500)):
        first, second = sketch(sets(shared, own))
        exact = shared / (shared + 2 * own)
        assert abs(similarity(first[None], second[None])[0] - exact) <= 3 * (0.25 / 60) ** 0.5


def test_equal_sets_share_all_bands_and_strangers_none():
    first, second = sets(0, 500)
    drawn = bands(sketch([first, first, second]))
    assert drawn.shape == (3, BANDS)
    assert np.array_equal(drawn[0], drawn[1])
    assert not set(drawn[0].tolist()) & set(drawn[2].tolist())
    assert len(set(drawn[0].tolist())) == BANDS


def test_shingles_are_of_the_changed_lines_alone():
    old, new = "alpha beta gamma delta epsilon", "one two three four five six"
    found = shingles(change(oracle_diff=diff_of(("a.py", old, new))))
    assert np.array_equal(found, shingles(change(oracle_diff=diff_of(("other/name.py", old, new)))))
    assert len(found) == 11 - 5 + 1
