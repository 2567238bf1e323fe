"""Evidence of small runs, written by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from openswerl.evaluate.mini.evidence import Chosen, Evidence, KeptTest, Patch


def _evidence(name: str = "i", **changes: Any) -> Evidence:
    """Four samples of two patches, three tests; each change replaces a field."""
    fields: dict[str, Any] = {
        "instance_id": name,
        "split": "gate",
        "files": [["a.py", "b.py"], ["b.py"]],
        "samples": [0, 1, 1, None],
        "reasons": [None, None, None, "no_tags"],
        "patches": [Patch("p", "p", None, 0, [True, False, False]), Patch("q", "q", None, 1, [False, True, True])],
        "tests": [KeptTest("t0", 3), KeptTest("t1", 1), KeptTest("t2", 1)],
        "regression_tests": 2,
        "chosen": Chosen(1, 1, 0, 1),
        "counts": {"lost": 1, "kept": 0},
    }
    return Evidence(**{**fields, **changes})


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    return _evidence
