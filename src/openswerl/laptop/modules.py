"""Small modules: one or two functions, or a wrapper that imports another module's function."""

import random
from dataclasses import dataclass, field, replace

from openswerl.laptop.functions import Function, write_function
from openswerl.laptop.templates import Template

PRECEDED = 0.3


@dataclass(frozen=True)
class Module:
    """One file: an import line or none, and the text of each function by name (buggy, fixed or commented)."""

    path: str
    functions: tuple[Function, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    header: str = ""

    @property
    def content(self) -> str:
        """The file's text."""
        return self.header + "\n\n".join(self.texts.values())

    def with_text(self, name: str, text: str) -> "Module":
        """Return the module with one function's text replaced."""
        return replace(self, texts={**self.texts, name: text})


def write_module(rng: random.Random, path: str, templates: list[Template], *, held: bool) -> Module:
    """Return a module with one correct function of the given templates, at times after another one."""
    functions = [write_function(rng, rng.choice(templates), held=held)]
    if rng.random() < PRECEDED:
        functions.insert(0, write_function(rng, rng.choice(templates), held=held))
    if len({function.name for function in functions}) < len(functions):
        return write_module(rng, path, templates, held=held)
    return Module(path, tuple(functions), {function.name: function.source for function in functions})


def write_wrapper(rng: random.Random, path: str, target: Module, templates: list[Template], *, held: bool) -> Module:
    """Return a module that imports a function of `target` and passes calls on to it."""
    inner = rng.choice(target.functions).name
    outer = write_function(rng, rng.choice(templates), held=held).name
    if outer == inner:
        return write_wrapper(rng, path, target, templates, held=held)
    source = target.path.removesuffix(".py").replace("/", ".")
    text = f"def {outer}(*args):\n    return {inner}(*args)\n"
    return Module(path, (), {outer: text}, f"from {source} import {inner}\n\n\n")
