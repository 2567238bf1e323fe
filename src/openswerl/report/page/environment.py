"""How the templates are filled: every value is escaped, and what would hide or reorder text is made visible."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from openswerl.report import labels
from openswerl.report.page import samples

LABELS = (
    *("percent", "points", "policy", "is_gate", "split", "note", "split_note", "capital", "rewarded", "reward"),
    *("predictor", "duration"),
)


def environment() -> Environment:
    """Return a Jinja environment that escapes every value and makes control characters visible first."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {name: getattr(labels, name) for name in LABELS}
    found.filters |= {"lines": samples.lines, "plain": samples.plain, "diff": samples.diff}
    return found


def _finalize(value: object) -> object:
    return samples.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
