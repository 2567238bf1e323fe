"""Names of nested metrics."""

from collections.abc import Iterator, Mapping
from typing import Any


def flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return {"name/part": number, text or spread} of nested metrics, without what is null and without lists."""
    return dict(_leaves(row, prefix))


def _leaves(row: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, Mapping) and not is_spread(value):
            yield from _leaves(value, f"{prefix}{key}/")
        elif value is not None and not isinstance(value, list | tuple):
            yield prefix + key, value


def is_spread(value: Any) -> bool:
    """Whether a value is how often numbers fell into each of the equal parts from `low` to `high`."""
    return isinstance(value, Mapping) and value.keys() == {"low", "high", "counts"}
