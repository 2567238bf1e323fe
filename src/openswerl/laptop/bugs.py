"""Break correct code in the ways people do, and say what a user would notice."""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

OPERATORS = [("+", "-", "small"), ("-", "+", "large"), ("*", "+", "mul"), ("/", "*", "div")]
COMPARISONS = [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")]
SWAPS = [
    (" and ", " or ", "logic"),
    (" or ", " and ", "logic"),
    ("min(", "max(", "minmax"),
    ("max(", "min(", "minmax"),
    ("return True", "return False", "boolean"),
    ("return False", "return True", "boolean"),
    (".append(", ".insert(0, ", "order"),
    (".lower()", ".upper()", "case"),
    (".upper()", ".lower()", "case"),
    (".startswith(", ".endswith(", "end"),
    (".endswith(", ".startswith(", "end"),
    (".strip()", ".lstrip()", "trailing"),
    (".ljust(", ".rjust(", "side"),
]
SYMPTOMS = {
    "compare": [
        "a value equal to the boundary is handled wrongly",
        "when the input is exactly at the boundary the answer is off",
    ],
    "small": ["the result is too small", "we get less than expected"],
    "large": ["the result is too large", "we get more than expected"],
    "mul": ["a product is expected but the numbers look like a sum"],
    "div": ["a quotient is expected and the numbers are far too large"],
    "last": ["the last element is ignored", "the final entry never shows up"],
    "first": ["the first element is ignored", "it skips the start of the list"],
    "default": ["without {a} it should behave as with {b}", "leaving out {a} should mean {b}"],
    "logic": ["both conditions should not be joined that way", "the two conditions are combined wrongly"],
    "minmax": ["it takes the wrong one of the two values", "the wrong extreme is chosen"],
    "boolean": ["the answer is inverted", "it says yes when it should say no"],
    "arguments": ["{a} and {b} seem mixed up when called", "the caller passes {a} before {b} and gets nonsense"],
    "none": ["it crashes when {a} is None", "TypeError if {a} is None"],
    "empty": ["it fails on an empty {a}", "an empty {a} gives an error"],
    "variable": ["{a} has no effect on the answer", "changing {a} changes nothing"],
    "order": ["the list comes back in reversed order", "the order of the answer is reversed"],
    "case": ["the letters come out in the wrong case", "upper and lower case are mixed up"],
    "end": ["it looks at the wrong end of the text", "start and end of the text are mixed up"],
    "trailing": ["spaces at the end stay in the text", "a trailing space is kept"],
    "side": ["the padding is on the wrong side", "the text is padded on the left"],
    "total": ["it gives how many there are and not their total", "we get a count where a sum is expected"],
}


class Bug(NamedTuple):
    """`source` with the bug in, its kind, and the words that its symptom names."""

    kind: str
    source: str
    names: tuple[str, ...] = ()


def find_bugs(source: str, rng: random.Random) -> list[Bug]:
    """Return every way to break this source that we know of; some may change nothing that can be observed."""
    lines = source.split("\n")
    bugs = []
    for index, line in enumerate(lines):
        for kind, new, names in _line_bugs(line, rng):
            bugs.append(Bug(kind, "\n".join([*lines[:index], new, *lines[index + 1 :]]), names))
        guard = re.search(r"if (\w+) is None:|if not (\w+):", line)
        if guard:
            kind = "none" if guard[1] else "empty"
            bugs.append(Bug(kind, "\n".join(lines[:index] + lines[index + 2 :]), (guard[1] or guard[2],)))
    return bugs + list(_variable_bugs(source))


def _line_bugs(line: str, rng: random.Random) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (kind, new line, names) of the bugs inside one line."""
    for old, new in COMPARISONS:
        for match in re.finditer(f" {old} ", line):
            yield "compare", f"{line[: match.start()]} {new} {line[match.end() :]}", ()
    for old, new, kind in OPERATORS:
        for match in re.finditer(f" {re.escape(old)} ", line):
            yield kind, f"{line[: match.start()]} {new} {line[match.end() :]}", ()
    for old, new, kind in SWAPS:
        if old in line:
            yield kind, line.replace(old, new, 1), ()
    if "= sum(" in line:
        yield "total", line.replace("= sum(", "= len("), ()
    yield from _range_bugs(line)
    for match in re.finditer(r"(\w+)=(\d+)", line):
        wrong = f"{match[1]}={int(match[2]) + rng.choice([1, 2, 3])}"
        yield "default", line[: match.start()] + wrong + line[match.end() :], (match[1], match[2])
    if pair := re.search(r"def \w+\((\w+), (\w+)\):", line):
        yield "arguments", line.replace(f"({pair[1]}, {pair[2]})", f"({pair[2]}, {pair[1]})"), (pair[1], pair[2])


def _range_bugs(line: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for match in re.finditer(r"range\(len\((\w+)\)\)", line):
        head, tail = line[: match.start()], line[match.end() :]
        yield "last", f"{head}range(len({match[1]}) - 1){tail}", ()
        yield "first", f"{head}range(1, len({match[1]})){tail}", ()
    for match in re.finditer(r"range\(1, len\((\w+)\)\)", line):
        yield "last", f"{line[: match.start()]}range(1, len({match[1]}) - 1){line[match.end() :]}", ()


def _variable_bugs(source: str) -> Iterator[Bug]:
    """Yield sources in which the only use of one argument is replaced by another argument."""
    head, _, body = source.partition("\n")
    arguments = re.findall(r"(\w+)(?:=\d+)?[,)]", head)
    for lost in arguments[1:]:
        uses = list(re.finditer(rf"\b{lost}\b(?!\[)", body))
        if len(uses) == 1:
            match, other = uses[0], arguments[0]
            if re.search(
                rf"\b{other}\b", body[: match.start()].rpartition("\n")[2] + body[match.end() :].partition("\n")[0]
            ):
                yield Bug("variable", f"{head}\n{body[: match.start()]}{other}{body[match.end() :]}", (lost,))


def symptom(bug: Bug, rng: random.Random) -> str:
    """Return what a user would say of the bug."""
    return rng.choice(SYMPTOMS[bug.kind]).format(**dict(zip("ab", bug.names, strict=False)))


def untidy(old: str, new: str, number: int) -> str:
    """Return `new` with `# gh-<number>` on its first changed line: a detail that nobody can predict."""
    before = old.split("\n")
    lines = new.split("\n")
    index = next((i for i, line in enumerate(lines) if line.strip() and line not in before), None)
    if index is None:
        index = next(i for i, line in enumerate(lines) if i >= len(before) or line != before[i])
    lines[index] = re.sub(r"  # gh-\d+$", "", lines[index]) + f"  # gh-{number}"
    return "\n".join(lines)
