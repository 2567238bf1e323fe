"""Issue texts as users write them: where it hurts and what they see."""

import random

TITLES = [
    "{f} in {p} is broken",
    "{p}: {f} misbehaves",
    "{f} ({p}) is wrong after the update",
    "Bug in {p}",
    "wrong answer from {f} in {p}",
]
BODIES = ["Calling {f}, {h}.", "I call {f} and {h}.", "Since the last release of {f} {h}.", "With {f} {h}."]


def write_issue(rng: random.Random, path: str, function: str, symptom: str) -> tuple[str, str]:
    """Return (title, body) of an issue that names file, function and symptom, never the fix."""
    title = rng.choice(TITLES).format(f=function, p=path)
    return title, rng.choice(BODIES).format(f=function, h=symptom)


def write_double_issue(rng: random.Random, places: list[tuple[str, str]], symptom: str) -> tuple[str, str]:
    """Return (title, body) of an issue about the same mistake at two (path, function) places."""
    (first_path, first), (second_path, second) = places
    title = f"{first} in {first_path} and {second} in {second_path} are broken"
    return title, rng.choice(["In both {h}.", "Calling either, {h}."]).format(h=symptom)


def statement(title: str, body: str) -> str:
    """Return the problem statement: title and body, as the relate stage joins them."""
    return f"{title}\n\n{body}"
