"""Ask a reward by its name: a module of `kinds/`, or a module of one's own by its dotted name. There is no table.

A kind is a module with `ANSWER`, the form of answer that it reads ("search_replace" or "unidiff"), and
`reward(work: Work) -> Value`. It may have `check(options)`, which raises UserError for options that make no
sense, and `INLINE = True` if all that takes long in it goes through `Work`, so that small answers need no process.
"""

import importlib
import math
import pkgutil
from collections.abc import Mapping
from numbers import Real
from reprlib import repr as shortened
from types import ModuleType
from typing import Any

from openswerl.errors import UserError
from openswerl.reward import kinds
from openswerl.reward.outcome import Value
from openswerl.reward.work import Work

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


def value_of(name: str, work: Work) -> Value:
    """Return what a kind gives an answer, its numbers as floats. Raises UserError if it is no Value of finite numbers.

    Raises what the kind raises, too.
    """
    found = kind_of(name).reward(work)
    if not isinstance(found, Value) or not isinstance(found.files, Mapping):
        raise UserError(f"reward.kind={name} gave {_shown(found)}; it must give a Value(reward, files)")
    if wrong := [number for number in (found.reward, *found.files.values()) if not is_finite(number)]:
        raise UserError(f"reward.kind={name} gave {_shown(wrong[0])} where a finite number must be; see its Value")
    return Value(float(found.reward), {str(path): float(number) for path, number in found.files.items()})


def _shown(value: object) -> str:
    return " ".join(shortened(value).split())


def is_finite(value: object) -> bool:
    """Tell whether a value is a number that is neither nan nor infinite; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Raise UserError if the kind is unknown or its options make no sense."""
    kind = kind_of(name)
    if hasattr(kind, "check"):
        kind.check(options)
    elif options:
        raise UserError(f"reward.kind={name} has no options; remove reward.options={dict(options)}")
