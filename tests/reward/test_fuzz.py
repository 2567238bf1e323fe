"""Whatever a model writes gets the format penalty, a value in [0, 1], or None: never a number by accident."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openswerl.edits import RULES, Block, FormatError, edit, git_patch, render, render_patch
from openswerl.reward import Score, ScorePool

CONTEXT = {
    "a.py": "def f(a):\n    return a\n\ndef g(a):\n    return a\n",
    "b.py": "x = 1\r\ny = 2\r\n",
    "c": "", "d.md": "=======\n<think>\n",
}  # fmt: skip
ORACLE = {"a.py": CONTEXT["a.py"].replace("return a", "return a + 1", 1), "b.py": "x = 1\r\ny = 3\r\n", "n.py": "q\n"}
PIECES = [
    "<think>", "</think>", "<solution>", "</solution>", "```", "```python", "```diff", "\n", "\r\n", " ", "\t", "",
    "### a.py", "### ./b.py ", "### z.py", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "    return a", "x = 1",
    "y = 2", "def f", "diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", "--- /dev/null", "rename from a.py",
    "@@ -1,2 +1,2 @@", "@@ -1 +1 @@", "@@ -99999999999999999999 +1 @@", " def f(a):", "-    return a", "+    return 1",
    "\\ No newline at end of file", "Binary files a/x and b/x differ", "\x00", "\x85", "\u2028", "\ud800", "é", "\x0c",
]  # fmt: skip
SOUP = st.lists(st.sampled_from([*PIECES, "\n", "\n", "\n"]), max_size=40).map("".join)
TEXT = st.one_of(st.sampled_from(PIECES), SOUP)
PATH = st.sampled_from(["a.py", "./a.py", "b.py ", "c", "d.md", "z.py", "", "\n"])


def fence(path: str, search: str, replace: str, end: str) -> str:
    lines = ["```python", f"### {path}", "<<<<<<< SEARCH", search, "=======", replace, ">>>>>>> REPLACE", "```", ""]
    return end.join(lines)


FENCE = st.builds(fence, PATH, TEXT, TEXT, st.sampled_from(["\n", "\n", "\n", "\r\n", ""]))
SOLUTION = st.one_of(SOUP, st.lists(st.one_of(FENCE, SOUP), max_size=4).map("".join))
OUTPUT = st.one_of(
    st.text(max_size=200), SOUP, st.builds(lambda text: f"<think>t</think><solution>{text}</solution>", SOLUTION)
)
LIMIT_S = 20.0


def check(scored: Score, penalty: float) -> None:
    if scored.reward is None:
        assert scored.reason == "timeout"
    elif scored.reason is not None:
        assert scored.reward == penalty and scored.files == {}
    else:
        assert 0.0 <= scored.reward <= 1.0
        assert all(0.0 <= value <= 1.0 for value in scored.files.values())


@pytest.mark.slow
@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize("kind", ["continuous", "discrete", "unidiff", "patch_text"])
def test_five_thousand_responses(kind: str, compat: str) -> None:
    seen = set()
    with ScorePool(kind, RULES[compat], format_penalty=-0.75, time_limit_s=LIMIT_S) as pool:

        @settings(max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
        @given(OUTPUT)
        def every_response(output: str) -> None:
            (scored,) = pool.score_many([(CONTEXT, ORACLE, output)])
            check(scored, -0.75)
            seen.add(scored.reason)

        every_response()
    assert {None, "missing_tag", "duplicate_tag"} <= seen


@settings(max_examples=300, deadline=None)
@given(OUTPUT, st.sampled_from(sorted(RULES)))
def test_a_penalty_is_given_if_and_only_if_the_edit_is_malformed(output: str, compat: str) -> None:
    with ScorePool(edits=RULES[compat], time_limit_s=LIMIT_S) as pool:
        (scored,) = pool.score_many([(CONTEXT, ORACLE, output)])
    try:
        events = edit(CONTEXT, output, RULES[compat]).events
    except FormatError as error:
        assert (scored.reward, scored.reason) == (-1.0, error.reason)
    else:
        assert scored.reason is None and scored.events == events


def test_degenerate_answers_of_every_kind_are_scored_in_time() -> None:
    """Without the limit the rewrite takes more than ten minutes, past the session's time-out."""
    lines = "".join(f"{number * 7919 % 10007:x} {number * 104729 % 100003:x}\n" for number in range(4000))
    other = "".join(f"{number * 6101 % 10009:x} {number * 15485863 % 100019:x}\n" for number in range(4000))
    block = render("t", [Block("n.py", "", lines)])
    patch = render_patch("t", git_patch({}, {"n.py": lines}))
    for kind, output in {"continuous": block, "unidiff": patch, "patch_text": patch}.items():
        with ScorePool(kind, time_limit_s=0.5) as pool:
            assert pool.score_many([({}, {"n.py": other}, output)]) == [Score(None, "timeout")]
