import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.crawl.links import closing_references

# GitHub docs, "Linking a pull request to an issue": nine keywords, three forms, an optional colon, any case.
KEYWORDS = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"]


def found(text: str) -> list[tuple[str, int]]:
    return [(link.repo, link.number) for link in closing_references(text, "a/b")]


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_pitfall_17_every_keyword(keyword):
    assert closing_references(f"{keyword} #10", "a/b") == [("a/b", 10, "number")]
    assert closing_references(f"{keyword.upper()}: #10", "a/b") == [("a/b", 10, "number")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fixes #1, #2 and #3", [1]),
        ("fixes #1, fixes #2; Closes: #3", [1, 2, 3]),
        ("does not fix #9", [9]),
        ("(Fix #4)", [4]),
        ("fixes #5\r\nfixes #5", [5]),
        ("fixes    #6", [6]),
        ("> fixes #7", [7]),
        ("**Fixes** #8 and fixes **#8**", []),
    ],
)
def test_pitfall_17_each_needs_a_keyword_of_its_own(text, expected):
    assert [number for _, number in found(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("closes #7", ("a/b", 7, "number")),
        ("Fixes octo-org/octo-repo#100", ("octo-org/octo-repo", 100, "qualified")),
        ("Fixes A/B#100", ("A/B", 100, "qualified")),
        ("Closes https://github.com/octo/cat.js/issues/7.", ("octo/cat.js", 7, "url")),
        ("closes: http://www.github.com/octo/cat/issues/7#issuecomment-1", ("octo/cat", 7, "url")),
        ("resolves GH-12", ("a/b", 12, "gh")),
        ("resolves gh-12", ("a/b", 12, "gh")),
    ],
)
def test_pitfall_17_the_form_is_told(text, expected):
    assert closing_references(text, "a/b") == [expected]


def test_pitfall_18_references_cross_repositories():
    assert found("Resolves #10, resolves octo/cat#100") == [("a/b", 10), ("octo/cat", 100)]


def test_an_issue_is_one_whatever_its_form_and_case():
    assert closing_references("fixes A/b#1, fixes #1, fixes GH-1", "a/b") == [("A/b", 1, "qualified")]


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
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<!-- Fixes #1 -->",
        "<!--\nWrite here, such as:\n\nFixes #1\n-->",
        "<!-- Fixes #1 and no end",
        "Write `Fixes #1` here",
        "Write ``a ` Fixes #1`` here",
        "```\nfixes #1\n```",
        "  ~~~~ text\nfixes #1\n~~~\nfixes #1\n~~~~~",
        "```sh\nfixes #1 and no end",
    ],
)
def test_comments_and_code_are_not_read(text):
    assert found(text) == []
    assert found(f"fixes #2\n\n{text}") == [("a/b", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- x --> fixes #1 <!-- y -->",
        "a ` fixes #1",
        "a ` b\n\nfixes #1 ` c",
        "```\nx\n```\nfixes #1\n```\ny\n```",
        "`a` fixes #1 `b`",
        "``` x ``` fixes #1",
    ],
)
def test_text_beside_comments_and_code_is_read(text):
    assert found(text) == [("a/b", 1)]


NAMES = st.from_regex(r"[A-Za-z0-9-]{1,8}/[A-Za-z0-9_.-]{1,8}", fullmatch=True)
FORMS = {
    "number": lambda repo, number: f"#{number}",
    "qualified": lambda repo, number: f"{repo}#{number}",
    "url": lambda repo, number: f"https://github.com/{repo}/issues/{number}",
    "gh": lambda repo, number: f"GH-{number}",
}
REFERENCES = st.tuples(st.sampled_from(KEYWORDS), NAMES, st.integers(1, 10**6), st.sampled_from(sorted(FORMS)))


@given(links=st.lists(REFERENCES, max_size=4), joint=st.sampled_from([", ", "\n", " and ", "; "]))
def test_what_is_written_is_found_again(links, joint):
    text = joint.join(f"{word} {FORMS[form](repo, number)}" for word, repo, number, form in links)
    own = {"number", "gh"}
    expected = {("a/b" if form in own else repo.lower(), number) for _, repo, number, form in links}
    assert {(link.repo.lower(), link.number) for link in closing_references(text, "a/b")} == expected


@given(st.text(alphabet="fixes #1`~<!->\n \r:a/") | st.text())
def test_any_text_is_survived_and_comments_only_take_away(text):
    assert set(found(text)) >= set(found(f"{text}<!-- closes #77 -->")) - {("a/b", 77)}
