"""Issue texts as users write them: where it hurts, what they see, and mostly one example. Never the fix."""

import random

from openswerl.laptop.bugs import Bug, symptom
from openswerl.laptop.examples import Example, find_example
from openswerl.laptop.functions import Function

Place = tuple[str, Function, Bug]
EXAMPLES = 0.7
# Half of the issues name the file; the others name its module or, one in five, the function or the package alone.
FILE = [
    "{f} in {p} is broken",
    "{p}: {f} misbehaves",
    "{f} ({p}) is wrong after the update",
    "Bug in {p}",
    "wrong answer from {f} in {p}",
]
MODULE = ["{d}.{f} is broken", "wrong answer from {d}.{f}", "{m}: {f} misbehaves", "Bug in the {m} of {g}"]
FUNCTION = ["{f} is broken", "wrong answer from {f}", "{f} misbehaves after the update", "Bug in {g}"]
BODIES = ["Calling {f}, {h}.", "I call {f} and {h}.", "Since the last release of {f} {h}.", "With {f} {h}."]
BOTH = ["In both {h}.", "Calling either, {h}."]


def write_issue(rng: random.Random, places: list[Place]) -> tuple[str, str, Example | None]:
    """Return (title, body, example) of an issue about one broken function, or the same mistake at two places.

    The example is None in three issues of ten, and where no short call shows the bug.
    """
    path, function, bug = places[0]
    seen = symptom(bug, rng)
    if len(places) == 1:
        title, body = _title(rng, path, function.name), rng.choice(BODIES).format(f=function.name, h=seen)
    else:
        title = " and ".join(f"{broken.name} in {where}" for where, broken, _ in places) + " are broken"
        body = rng.choice(BOTH).format(h=seen)
    example = find_example(rng, function, bug) if rng.random() < EXAMPLES else None
    return title, f"{body} {example.text(rng)}" if example else body, example


def _title(rng: random.Random, path: str, function: str) -> str:
    package, _, name = path.removesuffix(".py").partition("/")
    (titles,) = rng.choices([FILE, MODULE, FUNCTION], weights=[50, 30, 20])
    return rng.choice(titles).format(f=function, p=path, d=f"{package}.{name}", m=name, g=package)


def statement(title: str, body: str) -> str:
    """Return the problem statement: title and body, as the relate stage joins them."""
    return f"{title}\n\n{body}"
