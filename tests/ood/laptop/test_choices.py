from collections import Counter

import pytest

from openswerl.ood.laptop.choices import DAYS, MONTHS, rows

ROWS = list(rows())
FACTORS = {"minutes": 60, "grams": 1000, "centimetres": 100, "days": 7}


def test_there_are_enough_and_no_letter_is_a_better_guess():
    assert len(ROWS) >= 40 and len({row["id"] for row in ROWS}) == len(ROWS)
    assert len({(row["question"], *row["choices"]) for row in ROWS}) == len(ROWS)
    assert set(Counter(row["answer"] for row in ROWS).values()) == {len(ROWS) // 4}
    assert set(Counter(row["subject"] for row in ROWS).values()) == {len(ROWS) // 4}
    assert list(rows()) == ROWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_right_choice_is_right_and_the_others_are_not(row):
    assert len(set(row["choices"])) == 4
    assert [choice for choice in row["choices"] if holds(row, choice)] == [row["choices"][row["answer"]]]


def holds(row, choice: str) -> bool:
    """Work out from the words of the question whether a choice is right."""
    words = row["question"].rstrip("?").replace(",", "").split()
    if row["subject"] == "calendar":
        names = DAYS if "day" in words[1] else MONTHS
        after = next(word for word in words if word in names)
        steps = int(words[words.index(after) + 1]) if "later" in words else 1
        return (names.index(choice) - names.index(after)) % len(names) == steps
    if row["subject"] == "numbers":
        chosen = (max if "largest" in words else min)(map(int, row["choices"]))
        return int(choice) == chosen
    if row["subject"] == "units":
        return int(choice) == FACTORS[words[2]] * int(words[4])
    return choice.startswith(words[-1])
