"""Write functions from templates, and find out what they do by running them (our own generated code only)."""

import ast
import random
import warnings
import zlib
from dataclasses import dataclass
from typing import Any

from openswerl.laptop import vocabulary as words
from openswerl.laptop.templates import Template

warnings.filterwarnings("ignore", category=SyntaxWarning)
HELD_SHARE = 5


@dataclass(frozen=True)
class Function:
    """A correct function: its name, source and the kinds of its arguments (see templates)."""

    name: str
    source: str
    signature: str
    template: str


def is_held_out(name: str) -> bool:
    """Whether a function name belongs to the held-out repositories: one in five, by hash, never used elsewhere."""
    return zlib.crc32(name.encode()) % HELD_SHARE == 0


def write_function(rng: random.Random, template: Template, *, held: bool) -> Function:
    """Fill a template with identifiers whose function name lies on the wanted side of the split."""
    while is_held_out(name := _function_name(rng)) != held:
        pass
    source = template.source.format(
        f=name,
        s=_identifier(rng, words.SEQUENCES),
        k=_identifier(rng, words.BOUNDS),
        d=_identifier(rng, words.FACTORS),
        t=_identifier(rng, words.TEXTS),
        x=rng.choice(words.ELEMENTS),
        c=rng.randint(2, 9),
    )
    return Function(name, source, template.signature, template.name)


def _function_name(rng: random.Random) -> str:
    parts = [rng.choice(words.VERBS), rng.choice(words.NOUNS)]
    if rng.random() < 0.3:
        parts.append(rng.choice(words.NOUNS))
    return "_".join(parts)


def _identifier(rng: random.Random, pool: list[str]) -> str:
    word = rng.choice(pool)
    return word if rng.random() < 0.5 else f"{rng.choice(words.NOUNS)}_{word}"


def sample_inputs(rng: random.Random, signature: str) -> list[list[Any]]:
    """Return argument lists that hit boundaries, defaults, None and empty values."""
    kinds = [kind for kind in signature if kind.islower()]
    calls = [_arguments(rng, kinds) for _ in range(12)]
    first = calls[0]
    calls += [first[:n] for n in range(len(first))]
    if "N" in signature:
        calls.append([None, *first[1:]])
    if kinds[0] in "st":
        calls.append([[] if kinds[0] == "s" else "", *first[1:]])
    return calls


def _arguments(rng: random.Random, kinds: list[str]) -> list[Any]:
    values = [_value(rng, kind) for kind in kinds]
    if len(kinds) > 1 and rng.random() < 0.5:
        if kinds[:2] == ["s", "k"]:
            values[1] = rng.choice(values[0])
        elif kinds[:2] == ["n", "k"]:
            values[1] = values[0]
        elif kinds[:2] == ["t", "t"]:
            values[1] = values[0].strip()[: rng.randint(1, 3)] if rng.random() < 0.5 else values[0].lower()[-2:]
    return values


def _value(rng: random.Random, kind: str) -> Any:
    if kind == "s":
        return [rng.randint(-9, 12) for _ in range(rng.randint(3, 6))]
    if kind == "t":
        word = rng.choice(words.NOUNS)
        return rng.choice([word, word.upper(), word.title(), f" {word}", f"{word} ", f" {word.title()} "])
    return rng.randint(-4, 12)


def behaviour(source: str, name: str, calls: list[list[Any]]) -> list[str]:
    """Run a generated function on every call; a raised exception is part of the behaviour, as "!Type"."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    return [_outcome(scope[name], call) for call in calls]


def same(one: list[str], other: list[str]) -> bool:
    """Whether two behaviours are equal as Python compares the results: 0 is -0.0."""
    return all(a == b or _equal(a, b) for a, b in zip(one, other, strict=True))


def _equal(one: str, other: str) -> bool:
    return "!" not in one[0] + other[0] and bool(ast.literal_eval(one) == ast.literal_eval(other))


def _outcome(function: Any, call: list[Any]) -> str:
    try:
        return repr(function(*[list(value) if isinstance(value, list) else value for value in call]))
    except Exception as error:
        return f"!{type(error).__name__}"
