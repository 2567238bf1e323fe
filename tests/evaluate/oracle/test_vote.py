from openswerl.evaluate.oracle.repair import Candidate
from openswerl.evaluate.oracle.vote import NO_EDIT, majority, vote


def _samples(*keys: str | None) -> list[Candidate]:
    """One sample per key: None is badly formed, "" is an empty patch, "#" an edit of comments alone."""
    made = []
    for number, key in enumerate(keys):
        if key is None:
            made.append(Candidate("sample", number, reason="no_blocks"))
        else:
            made.append(Candidate("sample", number, patch=key, key=NO_EDIT if key in ("", "#") else key))
    return made


def test_the_most_frequent_patch_wins_by_its_earliest_sample() -> None:
    assert majority(_samples("a", "b", "c", "b")).sample == 1


def test_ties_go_to_the_patch_that_occurs_first() -> None:
    assert majority(_samples("b", "a", "a", "b")).sample == 0
    assert majority(_samples("c", "b", "a")).sample == 0


def test_bad_format_and_no_edit_are_filtered_first() -> None:
    assert majority(_samples(None, None, None, "", "", "#", "#", "#", "a")).sample == 8


def test_a_filter_that_leaves_nothing_is_not_applied() -> None:
    assert majority(_samples(None, "", "#")).sample == 1
    assert majority(_samples(None, None)).sample == 0 and not majority(_samples(None)).format_ok


def test_that_an_answer_never_came_is_chosen_only_where_none_came() -> None:
    faults = [Candidate("sample", number, reason="rate_limit") for number in (0, 1)]
    assert majority([*faults, Candidate("sample", 2, reason="no_blocks")]).sample == 2
    assert majority(faults).sample == 0


def test_only_samples_vote() -> None:
    greedy = Candidate("greedy", 0, patch="g", key="g")
    assert [(chosen.decoding, chosen.key) for chosen in vote([greedy, *_samples("a")])] == [("vote", "a")]
    assert vote([greedy]) == []
