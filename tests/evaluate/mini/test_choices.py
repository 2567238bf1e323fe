from typing import Any

from openswerl.evaluate.mini.choices import submitted
from openswerl.evaluate.mini.evidence import Chosen, Evidence, Patch


def _evidence(reasons: list[str | None], chosen: Chosen, **settings: Any) -> Evidence:
    samples = [None if reason else 0 for reason in reasons]
    patches = [Patch("diff", "k", "touches_tests", None, None)]
    return Evidence("i", "gate", [], samples, reasons, patches, [], 0, chosen, {}, **settings)


def test_every_way_to_choose_has_a_candidate() -> None:
    found = submitted(_evidence(["no_blocks", None, None], Chosen(1, 2, 1, 1)))
    assert [(c.decoding, c.sample, c.patch, c.key, c.refused, c.format_ok) for c in found] == [
        ("mini", 1, "diff", "k", "touches_tests", True),
        ("mini-majority", 2, "diff", "k", "touches_tests", True),
        ("mini-regression", 1, "diff", "k", "touches_tests", True),
        ("mini-reproduction", 1, "diff", "k", "touches_tests", True),
    ]


def test_without_a_patch_the_candidate_is_empty_and_says_why() -> None:
    none = Chosen(None, None, None, None)
    for reasons, reason in (
        (["no_blocks", "server_error", "server_error"], "no_blocks"),
        (["server_error"], "server_error"),
        (["unfinished", "no_blocks"], "unfinished"),
        (["empty_patch", "empty_patch", "no_blocks"], None),
    ):
        found = submitted(_evidence(list(reasons), none))
        assert len(found) == 4 and {(c.patch, c.reason, c.key) for c in found} == {("", reason, None)}
