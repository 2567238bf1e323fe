from contextlib import closing
from typing import Any

from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.mini.evidence import KeptTest
from openswerl.evaluate.mini.regression import Regression
from openswerl.evaluate.mini.repair import Repaired
from openswerl.evaluate.mini.reproduce import Reproduction
from openswerl.evaluate.mini.verify import Verified, distinct_patches, verify
from openswerl.evaluate.oracle.vote import NO_EDIT

SHOWS = "from calc.core import add\nprint('Issue reproduced' if add(2, 2) == 0 else 'Issue resolved')\n"
SILENT = "print('x')\n"


def _row(sample: int, key: str | None, patch: str = "p", **settings: Any) -> Repaired:
    return Repaired("acme__calc-1", sample, patch, key, **settings)


def test_samples_of_one_key_share_the_patch_of_the_earliest() -> None:
    rows = [_row(0, None), _row(1, "b", "x"), _row(2, "a"), _row(3, "b", "y"), _row(4, None), _row(5, "a")]
    found = distinct_patches(rows)
    assert found.samples == [None, 0, 1, 0, None, 1] and [row.sample for row in found.patches] == [1, 2]


def test_every_patch_gets_a_row_and_what_cannot_count_is_not_run(world: Any, tmp_path: Any) -> None:
    problem = world.problems()[0]
    wrong = problem.gold.patch.replace("a + b", "a - 1")
    patches = [
        _row(0, "a", problem.gold.patch), _row(1, "b", wrong), _row(2, "c", refused="touches_tests"), _row(3, NO_EDIT),
        _row(4, "d", "garbage"),
    ]  # fmt: skip
    tests = Reproduction("acme__calc-1", [KeptTest(SHOWS, 2), KeptTest(SILENT, 1)], {})
    kept = Regression("acme__calc-1", ["tests/test_core.py"], ["tests/test_core.py::test_name"])
    with closing(Cached(LaptopBackend(world.sources(), "bubblewrap", 5), Store(tmp_path))) as backend:
        rows = list(verify(problem.task, patches, tests, kept, backend))
        ran = backend.ran
    name = "acme__calc-1"
    assert rows == [
        Verified(name, 0, 0, [True, False]), Verified(name, 1, 0, [True, False]), Verified(name, 2, None, None),
        Verified(name, 3, None, None), Verified(name, 4, None, None),
    ]  # fmt: skip
    assert ran == 9, "one suite and two programs for each of three patches"
