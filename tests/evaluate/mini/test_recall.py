import pytest

from openswerl.evaluate.mini.recall import found_all, random_recall_at, recall_at


def test_recall_is_the_mean_share_of_oracle_files_among_the_first() -> None:
    """At 1: half, none, none. At 2: all, half, none. At 3: all, half, none."""
    samples, oracle = [["a", "b"], ["c", "b", "d"], []], ["a", "b"]
    assert [recall_at(samples, oracle, k) for k in (1, 2, 3)] == [pytest.approx(v) for v in (0.5 / 3, 0.5, 0.5)]
    assert found_all(samples, oracle) and not found_all(samples[1:], oracle)


def test_nothing_to_find_and_nothing_sampled_have_no_recall() -> None:
    assert recall_at([["a"]], [], 1) is None and recall_at([], ["a"], 1) is None
    assert random_recall_at([], ["a"], 1) is None and random_recall_at(["a"], [], 1) is None


def test_random_names_find_their_share() -> None:
    assert random_recall_at(["a", "b", "c", "d"], ["a"], 1) == 0.25
    assert random_recall_at(["a", "b", "c", "d"], ["a", "b"], 3) == 0.75
    assert random_recall_at(["a", "b"], ["a"], 5) == 1.0
    assert random_recall_at(["a", "b"], ["a", "new"], 1) == 0.25, "a file that is not there cannot be named"
