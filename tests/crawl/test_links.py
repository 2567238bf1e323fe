import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.crawl.links import closing_references

# GitHub docs, "Linking a pull request to an issue": nine keywords, three forms, an optional colon, any case.
KEYWORDS = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"]


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_every_keyword(keyword):
    assert closing_references(f"{keyword} #10", "a/b") == [("a/b", 10)]
    assert closing_references(f"{keyword.upper()}: #10", "a/b") == [("a/b", 10)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixes octo-org/octo-repo#100", [("octo-org/octo-repo", 100)]),
        ("Closes https://github.com/octo/cat.js/issues/7.", [("octo/cat.js", 7)]),
        ("closes: http://www.github.com/octo/cat/issues/7#issuecomment-1", [("octo/cat", 7)]),
        (
            "Resolves #10, resolves #123, resolves octo-org/octo-repo#100",
            [("a/b", 10), ("a/b", 123), ("octo-org/octo-repo", 100)],
        ),
        ("fixes #1, #2 and #3", [("a/b", 1)]),  # each needs a keyword of its own
        ("does not fix #9", [("a/b", 9)]),  # GitHub links this too
        ("(Fix #4)", [("a/b", 4)]),
        ("fixes #5\r\nfixes #5", [("a/b", 5)]),
        ("fixes    #6", [("a/b", 6)]),
    ],
)
def test_forms(text, expected):
    assert closing_references(text, "a/b") == expected


@pytest.mark.parametrize(
    "text",
    [
        "see #10",
        "#10",
        "prefix #10",
        "hotfixes #10",
        "fixing #10",
        "closest #3",
        "fixes 10",
        "fixes # 10",
        "fixes#10",
        "fixes\n#10",
        "fixes #10abc",
        "fixes #0",
        "fixes #99999999999999999999",
        "closes https://github.com/a/b/pull/3",
        "closes https://example.com/a/b/issues/3",
        "fixes owner/#3",
        "fixes issue #3",
        "",
    ],
)
def test_what_is_no_link(text):
    assert closing_references(text, "a/b") == []


@given(st.text())
def test_any_text_is_survived(text):
    assert isinstance(closing_references(text, "a/b"), list)
