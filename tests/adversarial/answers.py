"""Model answers made to break what reads them; a seed decides everything."""

import random
from collections.abc import Callable

CONTEXT = {
    "a.py": "def f(a):\n    return a\n\ndef g(a):\n    return a\n",
    "b.py": "x = 1\r\ny = 2\r\n",
    "d e/\u00fc.py": "=======\n<think>\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q'\n",
    "setup.cfg": "[metadata]\nname = x\n",
    "empty": "",
}
ORACLE = {"a.py": CONTEXT["a.py"].replace("return a", "return a + 1", 1), "b.py": "x = 1\r\ny = 3\r\n", "n.py": "q\n"}
PATHS = [
    *CONTEXT, "./a.py", "a.py ", "../outside.py", "../../../../tmp/outside.py", "/tmp/outside.py", "~/outside.py",
    ".git/config", ".git/hooks/pre-commit", ".gitattributes", ".gitmodules", "a.py/b.py", "a\0b.py", "a\\..\\b.py",
    "", ".", "..", "//a.py", "a\rb", '"a.py"', "\ud800.py", "C:\\x.py", "x" * 5000, "d/" * 600 + "x", "\u202ea.py",
    "$(touch outside)", "-rf", "--help", "conftest.py", "tests/test_a.py", "sitecustomize.py", "%2e%2e/a.py",
]  # fmt: skip
PIECES = [
    "<THINK>", "< think>", "```", "````", "```python",
    "```diff", "### a.py", "### ", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "<<<<<<< HEAD", "    return a",
    "x = 1", "y = 2", "def f", "--- a/a.py", "+++ b/a.py", "--- /dev/null", "+++ /dev/null", "rename from a.py",
    "rename to ../x", "new file mode 120000", "old mode 100644", "new mode 100755", "similarity index 100%",
    "@@ -1,2 +1,2 @@", "@@ -1 +1 @@", "@@ -99999999999999999999 +1 @@", "@@ -0,0 +1,-1 @@", "@@@ -1 -1 +1 @@@",
    "GIT binary patch", "literal 5", "diff --git a/a.py b/a.py", "diff --cc a.py", "index 0000000..1111111 160000",
    " def f(a):", "-    return a", "+    return 1", "\\ No newline at end of file", "Binary files a/x and b/x differ",
    "\x00", "\x85", "\u2028", "\ud800", "\udfff", "\u00e9", "e\u0301", "\x0c", "\x1b[2J", "\ufeff", "\u202e",
    "<|endoftext|>", "[" * 3000, "{" * 3000, "a = " + "[" * 1200 + "]" * 1200, "(a+)+$", "\t" * 500, "%s%n", "\\" * 99,
]  # fmt: skip
TAGS = ["<think>", "</think>", "<solution>", "</solution>"]  # one too many ends the reading, so they are rare
ENDS = ["\n", "\n", "\n", "\n", "\r\n", "\r", "", "\x85", " \n"]
Rng = random.Random


def soup(rng: Rng, most: int = 12) -> str:
    """Return pieces with line ends, or none, between them."""
    pieces = TAGS if rng.random() < 0.004 else PIECES
    return "".join(rng.choice(pieces) + rng.choice(ENDS) for _ in range(rng.randrange(most)))


def text(rng: Rng) -> str:
    """Return what may stand in a SEARCH or REPLACE part."""
    real = rng.choice(["    return a", "x = 1", "", "def f(a):\n    return a", "=======", "name = x", "addopts = '-q'"])
    return rng.choice([real, real, real, soup(rng, 4), real * rng.randrange(1, 400)])


def block(rng: Rng) -> str:
    """Return a SEARCH/REPLACE block, well formed three times in four, and then mostly one that applies."""
    end = rng.choice(ENDS[:5])
    path, search = rng.choice([("a.py", "    return a"), ("b.py", "x = 1"), ("pyproject.toml", "addopts = '-q'")])
    if rng.random() < 0.3:
        path = rng.choice(PATHS)
        search = rng.choice(["", text(rng)])
    lines = ["```python", f"### {path}", "<<<<<<< SEARCH", search, "=======", text(rng)]
    lines += [">>>>>>> REPLACE", "```", ""]
    if rng.random() < 0.25:
        del lines[rng.randrange(len(lines))]
    return end.join(lines)


def patch(rng: Rng) -> str:
    """Return a unified diff of one file, one that applies now and then."""
    path, lines = (
        "a.py",
        ["@@ -1,5 +1,5 @@", " def f(a):", "-    return a", "+    return 1", " ", " def g(a):", "     return a"],
    )
    if rng.random() < 0.5:
        path = rng.choice(PATHS)
        span = f"@@ -{rng.choice([0, 1, 2, 10**20])} +{rng.randrange(3)} @@"
        lines = rng.choice([["@@ -0,0 +1 @@", "+new"], [span, "-x = 1", "+x = 9"]])
    target = rng.choice([path, path, path, rng.choice(PATHS)])
    mode = rng.choice(
        [[], [], ["new file mode 120000"], ["old mode 100644", "new mode 120000"], ["deleted file mode 1"]]
    )
    old = "/dev/null" if lines[1] == "+new" else f"a/{path}"
    whole = [f"diff --git a/{path} b/{target}", *mode, f"--- {old}", f"+++ b/{target}", *lines]
    if rng.random() < 0.2:
        whole.append(soup(rng, 3))
    return rng.choice(ENDS[:5]).join(whole) + "\n"


def nested(rng: Rng) -> str:
    """Return marks inside marks."""
    inner = block(rng)
    for _ in range(rng.randrange(1, 40)):
        inner = rng.choice(["```\n{}\n```", "### a.py\n<<<<<<< SEARCH\n{}\n=======\n", "<div>{}</div>"]).replace(
            "{}", inner
        )
    return inner


def huge(rng: Rng) -> str:
    """Return a line, or many, of some hundred thousand characters."""
    size = rng.randrange(50_000, 300_000)
    return rng.choice(
        ["a" * size, "<think>" * (size // 7), "```\n" * (size // 4), "=======\n" * (size // 8), "\n" * size]
    )


def flipped(rng: Rng, whole: str) -> str:
    """Return a text with characters replaced, doubled or cut out."""
    letters = list(whole)
    for _ in range(rng.randrange(1, 8)):
        if letters:
            letters[rng.randrange(len(letters))] = rng.choice(["", "\0", "\ud800", "\n", "<", "`", "x" * 50])
    return "".join(letters)


SOLUTIONS: list[Callable[[Rng], str]] = [block, block, patch, patch, soup, nested]


def answer(seed: int) -> str:
    """Return the answer of a seed."""
    rng = random.Random(seed)
    if rng.random() < 0.02:
        inside = huge(rng)
    else:
        count, makers = rng.choice([1, 1, 2, 4]), rng.choice([SOLUTIONS, [block], [patch]])
        inside = "".join(rng.choice(makers)(rng) for _ in range(count))
    if rng.random() < 0.2:
        inside = f"```diff\n{inside}\n```"
    whole = f"<think>t</think><solution>{inside}</solution>" if rng.random() < 0.85 else inside
    return flipped(rng, whole) if rng.random() < 0.25 else whole
