import pytest

from openswerl.curate.wording import Words, negated, starts


@pytest.mark.parametrize(
    ("text", "entry", "found"),
    [
        ("a bump.", "bump", True),
        ("a Bump", "bump", True),
        ("re-bump", "bump", True),
        ("bump_it", "bump", False),
        ("ébump", "bump", False),
        ("bumps", "bump", False),
        ("bumps", "bump*", True),
        ("ValueError: x", "*error", True),
        ("ValueErrors", "*error", False),
        ("does not work", "not work", True),
        ("x[bot]y", "[bot]", True),
        ("[robot]", "[bot]", False),
        ("", "bump", False),
    ],
)
def test_whole_tokens(text, entry, found):
    assert Words([entry]).found(text) is found


def test_anywhere_in_a_text():
    assert Words(["bump"], whole_tokens=False).found("BUMPER")
    assert not Words([], whole_tokens=False).found("bump")


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("this is not a bug", True),
        ("never fails", True),
        ("runs without any error", True),
        ("it doesn't crash", True),
        ("it should not crash", False),
        ("it must never fail", False),
        ("a bug", False),
    ],
)
def test_what_is_denied(text, denied):
    assert bool(negated(["bug", "fail*", "error", "crash"]).search(text)) is denied


def test_starts():
    assert starts(["add"]).match("[Add] a thing")
    assert not starts(["add"]).match("Addition fails")
    assert not starts([]).match("anything")
