"""The documented edge cases of the official reward, with rewards computed here by difflib from hand-written diffs."""

import difflib

import pytest

from openswerl.edits import Block, minimal_blocks, render
from openswerl.reward import score

A = "def area(w, h):\n    total = 0\n    return w + h\n\n\ndef side(w):\n    total = 0\n    return w\n"
B = "low = 1\nhigh = 2\n"
CONTEXT = {"a.py": A, "b.py": B}
ORACLE = {"a.py": A.replace("w + h", "w * h"), "b.py": B}
HEAD = "@@ -1,6 +1,6 @@\n def area(w, h):\n     total = 0\n-    return w + h\n+    return w * h\n \n \n def side(w):"
RIGHT = ("a.py", "    return w + h", "    return w * h")
B_EDIT = ("b.py", "low = 1", "low = 3")
B_DIFF = "@@ -1,2 +1,2 @@\n-low = 1\n+low = 3\n high = 2"
B_ORACLE, B_SHORT = {"b.py": "low = 3\nhigh = 2\n"}, {"b.py": "low = 1\n"}
B_SHORT_DIFF = "@@ -1,2 +1 @@\n low = 1\n-high = 2"


def fence(path: str, search: str, replace: str) -> str:
    return f"```python\n### {path}\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```"


def answer(*blocks: tuple[str, str, str]) -> str:
    return "<think>\nt\n</think>\n<solution>\n" + "\n\n".join(fence(*block) for block in blocks) + "\n</solution>"


def similarity(predicted: dict[str, str], oracle: dict[str, str]) -> dict[str, float]:
    """The paper's rule, written a second time."""
    files = {}
    for path in predicted.keys() | oracle.keys():
        both = path in predicted and path in oracle
        matcher = difflib.SequenceMatcher(None, predicted.get(path, ""), oracle.get(path, ""), autojunk=False)
        files[path] = matcher.ratio() if both else 0.0
    return files


TWICE = (
    "@@ -1,8 +1,8 @@\n def area(w, h):\n-    total = 0\n+    total = 1\n     return w + h\n \n \n def side(w):\n"
    "-    total = 0\n+    total = 1\n     return w"
)
PREFIX = "@@ -3,6 +3,6 @@\n     return w + h\n \n \n-def side(w):\n+def edge(w):\n     total = 0\n     return w"
SWALLOWED = (
    "@@ -1,6 +1,12 @@\n def area(w, h):\n     total = 0\n-    return w + h\n+    return w * h\n+>>>>>>> REPLACE\n"
    "+### b.py\n+<<<<<<< SEARCH\n+low = 1\n+=======\n+low = 3\n \n \n def side(w):"
)
TWO_IN_ONE_FENCE = answer(RIGHT)[: -len("\n```\n</solution>")] + answer(B_EDIT).partition("```python")[2]

WELL_FORMED = {
    "exact": (answer(RIGHT), ORACLE, {"a.py": HEAD}, {"a.py": HEAD}),
    "search text twice": (answer(("a.py", "    total = 0", "    total = 1")), ORACLE, {"a.py": TWICE}, {"a.py": HEAD}),
    "prefix of a line": (answer(("a.py", "def side", "def edge")), ORACLE, {"a.py": PREFIX}, {"a.py": HEAD}),
    "new file": (answer(("z.py", "", "p")), ORACLE, {"z.py": "@@ -0,0 +1 @@\n+p"}, {"a.py": HEAD}),
    "right new file": (answer(("z.py", "", "p")), {"z.py": "p\n"}, *[{"z.py": "@@ -0,0 +1 @@\n+p"}] * 2),
    "empty search on a file": (
        answer(("b.py", "", "# ")),
        B_ORACLE,
        {"b.py": "@@ -1,2 +1,3 @@\n-low = 1\n-high = 2\n+# low = 1\n+# high = 2\n+# "},
        {"b.py": B_DIFF},
    ),
    "deletion with a blank line": (
        answer(("b.py", "high = 2", "")),
        B_SHORT,
        {"b.py": "@@ -1,2 +1,2 @@\n low = 1\n-high = 2\n+"},
        {"b.py": B_SHORT_DIFF},
    ),
    "deletion with a neighbour": (answer(("b.py", B[:-1], "low = 1")), B_SHORT, *[{"b.py": B_SHORT_DIFF}] * 2),
    "extra file": (answer(RIGHT, B_EDIT), ORACLE, {"a.py": HEAD, "b.py": B_DIFF}, {"a.py": HEAD}),
    "wrong file": (answer(B_EDIT), ORACLE, {"b.py": B_DIFF}, {"a.py": HEAD}),
    "one of two files": (answer(RIGHT), ORACLE | B_ORACLE, {"a.py": HEAD}, {"a.py": HEAD, "b.py": B_DIFF}),
    "edit and undo": (answer(B_EDIT, ("b.py", "low = 3", "low = 1")), ORACLE, {}, {"a.py": HEAD}),
    "edit and undo, empty oracle": (answer(B_EDIT, ("b.py", "low = 3", "low = 1")), CONTEXT, {}, {}),
    "in sequence": (
        answer(("b.py", "low = 1", "low = 9"), ("b.py", "low = 9\nhigh", "low = 3\nhigh")),
        B_ORACLE,
        *[{"b.py": B_DIFF}] * 2,
    ),
    "malformed part": (
        answer(RIGHT).replace("</solution>", "```\n### b.py\n<<<<<<< SEARCH\nlow\n```\n</solution>"),
        ORACLE,
        *[{"a.py": HEAD}] * 2,
    ),
    "two blocks in one fence": (TWO_IN_ONE_FENCE, ORACLE, {"a.py": SWALLOWED}, {"a.py": HEAD}),
    "solution first": (answer(RIGHT).partition("</think>")[2] + "<think>t</think>", ORACLE, *[{"a.py": HEAD}] * 2),
    "text outside": ("Well. " + answer(RIGHT) + " Done.", ORACLE, *[{"a.py": HEAD}] * 2),
    "bare fence": (answer(RIGHT).replace("```python", "```"), ORACLE, *[{"a.py": HEAD}] * 2),
    "final newline alone": (answer(("b.py", B[:-1], "low = 1")), {"b.py": "low = 1"}, *[{"b.py": B_SHORT_DIFF}] * 2),
}

MALFORMED = {
    "no-op": (answer(("a.py", "def side", "def side")), "noop_edit"),
    "not found": (answer(("a.py", "def volume", "def side")), "search_not_found"),
    "indentation stripped": (answer(("a.py", "return w + h", "return w * h")), "search_not_found"),
    "unknown path": (answer(("z.py", "q", "r")), "search_not_found"),
    "one good and one not found": (answer(RIGHT, ("b.py", "q", "r")), "search_not_found"),
    "replace without a line": (answer(("b.py", "low = 1", "x")).replace("x\n>", ">"), "no_blocks"),
    "search without a line": (answer(("z.py", "x", "y")).replace("SEARCH\nx", "SEARCH"), "no_blocks"),
    "no blocks": ("<think>t</think><solution>hello</solution>", "no_blocks"),
    "no fence": (answer(RIGHT).replace("```python\n", "").replace("\n```", ""), "no_blocks"),
    "carriage returns": (answer(RIGHT).replace("\n", "\r\n"), "no_blocks"),
    "space after the path": (answer(("a.py ", *RIGHT[1:])), "search_not_found"),
    "dot slash": (answer(("./a.py", *RIGHT[1:])), "search_not_found"),
    "tag in the thought": (answer(RIGHT).replace("\nt\n", "\nuse <solution>\n"), "duplicate_tag"),
    "two thoughts": ("<think>u</think>" + answer(RIGHT), "duplicate_tag"),
    "empty thought": (answer(RIGHT).replace("\nt\n", "\n"), "empty_thought"),
    "cut off": (answer(RIGHT).removesuffix("</solution>"), "missing_tag"),
}


@pytest.mark.parametrize("name", WELL_FORMED)
def test_well_formed_answers(name: str) -> None:
    output, oracle, predicted_diffs, oracle_diffs = WELL_FORMED[name]
    files = similarity(predicted_diffs, oracle_diffs)
    scored = score(CONTEXT, oracle, output)
    assert scored.reason is None
    assert scored.files == files
    assert scored.reward == pytest.approx(sum(files.values()) / len(files) if files else 1.0, abs=1e-12)


@pytest.mark.parametrize("name", WELL_FORMED)
def test_well_formed_answers_by_exact_match(name: str) -> None:
    output, oracle, predicted_diffs, oracle_diffs = WELL_FORMED[name]
    scored = score(CONTEXT, oracle, output, kind="discrete")
    assert scored.reason is None
    assert scored.reward == (1.0 if predicted_diffs == oracle_diffs else 0.0)


def test_events_tell_what_the_official_rule_lets_through() -> None:
    events = {name: score(CONTEXT, one[1], one[0]).events for name, one in WELL_FORMED.items()}
    assert {name: found for name, found in events.items() if found} == {
        "search text twice": ("several_matches",),
        "prefix of a line": ("partial_line",),
        "empty search on a file": ("empty_search_on_file",),
        "in sequence": ("partial_line",),
        "malformed part": ("incomplete_block",),
        "two blocks in one fence": ("marker_inside_block",),
    }


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_answers(name: str, kind: str) -> None:
    output, reason = MALFORMED[name]
    scored = score(CONTEXT, ORACLE, output, kind=kind, format_penalty=-0.5)
    assert (scored.reward, scored.reason, scored.files) == (-0.5, reason, {})
    assert score(CONTEXT, ORACLE, output, kind=kind).reward == -1.0


def test_carriage_returns_in_the_files_alone_do_not_matter() -> None:
    context, oracle = ({"b.py": text.replace("\n", "\r\n")} for text in (B, B_ORACLE["b.py"]))
    assert score(context, oracle, answer(B_EDIT)).reward == 1.0


def test_the_third_of_three_files() -> None:
    output = render("t", [Block(f"{name}.py", "", "x = 1") for name in "abc"])
    assert score({}, {"a.py": "x = 1\n"}, output).reward == pytest.approx(1 / 3, abs=1e-15)


def test_the_oracle_in_two_files_scores_one() -> None:
    output = render("t", minimal_blocks(CONTEXT, ORACLE | B_ORACLE))
    assert score(CONTEXT, ORACLE | B_ORACLE, output).files == {"a.py": 1.0, "b.py": 1.0}
