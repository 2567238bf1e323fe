from openswerl.report.editing import edit_rows, pooled_edits
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


def test_seeds_are_averaged_over_the_instances_with_a_patch_in_each(job) -> None:
    """Instance 0 goes too far under one seed of two, instance 1 under none, instance 2 has one patch alone."""
    first = Evaluation("base", 0, "bubblewrap", [_outcome(0, 3, 1), _outcome(1, 1, 0), _outcome(2, 1, 1)])
    second = Evaluation("base", 1, "bubblewrap", [_outcome(0, 1, 0), _outcome(1, 1, 0), _outcome(2, None, None)])
    (row,) = pooled_edits([first, second], job.cfg.report)
    assert (row.seed, row.n, row.extra.value, row.files) == ("all", 2, 0.25, 1.5)
    assert not list(pooled_edits([first], job.cfg.report))
