"""Find a reward by its name: a module of `kinds/`, or a module of one's own by its dotted name. There is no table.

A kind is a module with `ANSWER`, the form of answer that it reads ("search_replace" or "unidiff"), and
`reward(work: Work) -> Value`. It may have `check(options)`, which raises UserError for options that make no
sense, and `INLINE = True` if all that takes long in it goes through `Work`, so that small answers need no process.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from openswerl.errors import UserError
from openswerl.reward import kinds

ANSWERS = ("search_replace", "unidiff")


def names() -> list[str]:
    """Return the names of the kinds that come with the package."""
    return sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))


def kind_of(name: str) -> ModuleType:
    """Return the module of a kind. Raises UserError if there is none or it lacks something."""
    module = f"{kinds.__name__}.{name}" if name in names() else name
    if module == name and "." not in name:
        raise UserError(f"reward.kind={name} is not known; choose one of: {', '.join(names())}; or a module.of.yours")
    try:
        kind = importlib.import_module(module)
    except ImportError as error:
        raise UserError(f"reward.kind={name} cannot be imported: {error}") from None
    if getattr(kind, "ANSWER", None) not in ANSWERS or not callable(getattr(kind, "reward", None)):
        raise UserError(f"reward.kind={name} needs ANSWER, one of {', '.join(ANSWERS)}, and a function reward(work)")
    return kind


def answer_of(name: str) -> str:
    """Return the form of answer that a kind reads. Raises UserError as `kind_of`."""
    answer: str = kind_of(name).ANSWER
    return answer


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Raise UserError if the kind is unknown or its options make no sense."""
    kind = kind_of(name)
    if hasattr(kind, "check"):
        kind.check(options)
    elif options:
        raise UserError(f"reward.kind={name} has no options; remove reward.options={dict(options)}")
