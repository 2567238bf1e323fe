from openswerl.edits import Block, render
from openswerl.reward import Score, score

OLD = {"a": "x\n", "b": "y\n"}


def discrete(*blocks: tuple[str, str, str], oracle: dict[str, str]) -> Score:
    return score(OLD, oracle, render("t", [Block(*block) for block in blocks]), kind="discrete")


def test_one_for_an_exact_match_of_all_files() -> None:
    scored = discrete(("b", "y", "q"), ("a", "x", "p"), oracle={"a": "p\n", "b": "q\n"})
    assert (scored.reward, scored.files, scored.reason) == (1.0, {"a": 1.0, "b": 1.0}, None)


def test_zero_if_one_character_or_one_file_differs() -> None:
    assert discrete(("a", "x", "p"), ("b", "y", "q"), oracle={"a": "p\n", "b": "r\n"}).reward == 0.0
    assert discrete(("a", "x", "p"), ("b", "y", "q"), oracle={"a": "p\n"}).reward == 0.0
    assert discrete(("a", "x", "p"), oracle={"a": "p\n", "b": "q\n"}).files == {"a": 1.0, "b": 0.0}


def test_no_change_on_either_side_is_a_match() -> None:
    assert discrete(("a", "x", "p"), ("a", "p", "x"), oracle={}).reward == 1.0
