from openswerl.report.editing import edit_rows
from openswerl.report.inputs import Evaluation
from openswerl.report.rows import Outcome
from openswerl.statistics import wilson


def _outcome(number: int, changed: int | None, extra: int | None, status: str = "unresolved") -> Outcome:
    return Outcome(f"i-{number}", "gate", "greedy", 0, True, status, "x", None, None, changed, extra)


def test_patches_with_a_file_too_many_are_a_share_of_the_patches(job) -> None:
    rows = [_outcome(0, 1, 0), _outcome(1, 3, 2), _outcome(2, 2, 0), _outcome(3, 2, 1), _outcome(4, None, None)]
    lost = _outcome(5, 1, 1, "env_invalid")
    (row,) = edit_rows([Evaluation("base", 0, "bubblewrap", [*rows, lost])], job.cfg.report)
    assert (row.policy, row.split, row.n, row.files, row.extra.value) == ("base", "gate", 4, 2.0, 0.5)
    assert (row.extra.low, row.extra.high) == wilson(2, 4, 0.95)
    assert not list(edit_rows([Evaluation("base", 0, "bubblewrap", [rows[-1]])], job.cfg.report))
