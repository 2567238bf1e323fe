from openswerl.reward import REWARDS

discrete = REWARDS["discrete"]


def test_one_for_an_exact_match_of_all_files() -> None:
    scored = discrete({"a": "x", "b": "y"}, {"b": "y", "a": "x"})
    assert (scored.reward, scored.files, scored.reason) == (1.0, {"a": 1.0, "b": 1.0}, None)


def test_zero_if_one_character_or_one_file_differs() -> None:
    assert discrete({"a": "x", "b": "y"}, {"a": "x", "b": "z"}).reward == 0.0
    assert discrete({"a": "x", "b": "y"}, {"a": "x"}).reward == 0.0
    assert discrete({"a": "x"}, {"a": "x", "b": "y"}).files == {"a": 1.0, "b": 0.0}


def test_no_change_on_either_side_is_a_match() -> None:
    assert discrete({}, {}).reward == 1.0
