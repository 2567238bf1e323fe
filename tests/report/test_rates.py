from types import SimpleNamespace

import pytest

from openswerl.report.inputs import Evaluation
from openswerl.report.rates import RateRow, instance_means, pooled_rows, rate_rows
from openswerl.report.rows import Decoding, Outcome

SETTINGS = SimpleNamespace(confidence=0.95, resamples=2000, bootstrap_seed=0, splits={"gate": 1})


def answers(decoding: Decoding, resolved: list[list[bool]]) -> list[Outcome]:
    return [
        Outcome(f"i{k:03d}", "gate", decoding, s, True, *(2 * ["resolved"] if flag else ["unresolved", "not_fixed"]))
        for k, flags in enumerate(resolved)
        for s, flag in enumerate(flags)
    ]


def one_row(decoding: Decoding, resolved: list[list[bool]]) -> RateRow:
    (row,) = rate_rows([Evaluation("base", 0, "bubblewrap", answers(decoding, resolved))], decoding, SETTINGS)
    return row


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_greedy_intervals_are_the_published_wilson_ones(successes: int, n: int, low: float, high: float) -> None:
    """Newcombe 1998, table I, method 3."""
    row = one_row("greedy", [[k < successes] for k in range(n)])
    assert (row.n, row.interval) == (n, "Wilson")
    assert row.resolved.value == successes / n
    assert (row.resolved.low, row.resolved.high) == pytest.approx((low, high), abs=5e-5)


def test_samples_of_one_instance_are_not_counted_as_independent() -> None:
    copies = one_row("sample", [[k < 20] * 8 for k in range(40)])
    single = one_row("sample", [[k < 20] for k in range(40)])
    assert (copies.n, copies.interval) == (320, "bootstrap over instances")
    assert copies.resolved == single.resolved
    assert copies.resolved.high - copies.resolved.low == pytest.approx(2 * 1.96 * (0.25 / 40) ** 0.5, abs=0.04)


def test_wilson_over_instances_stands_in_where_all_instances_agree() -> None:
    row = one_row("sample", [[False, False]] * 20)
    assert row.resolved.value == row.resolved.low == 0
    assert row.resolved.high == pytest.approx(0.1611, abs=5e-5)


def test_instance_means_are_in_order_of_id() -> None:
    rows = answers("sample", [[True, False], [True, True]])[::-1]
    assert list(instance_means(rows, [row.resolved for row in rows]).items()) == [("i000", 0.5), ("i001", 1.0)]


def test_what_was_not_judged_is_in_no_rate_and_is_counted() -> None:
    rows = answers("greedy", [[True], [False], [False]])
    rows += [
        Outcome("x", "gate", "greedy", 0, False, "error", "unanswered", "rate_limit"),
        Outcome("y", "gate", "greedy", 0, True, "error", "infrastructure", "infrastructure"),
    ]
    (row,) = rate_rows([Evaluation("base", 0, "bubblewrap", rows)], "greedy", SETTINGS)
    assert (row.n, row.not_judged, row.resolved.value, row.format.value) == (3, 2, pytest.approx(1 / 3), 1.0)
    assert not list(rate_rows([Evaluation("base", 0, "bubblewrap", rows[3:])], "greedy", SETTINGS))


def test_an_instance_keeps_its_judged_samples() -> None:
    rows = answers("sample", [[True, True], [False, False]])
    rows[1] = Outcome("i000", "gate", "sample", 1, False, "error", "unanswered", "too_slow")
    (row,) = rate_rows([Evaluation("base", 0, "bubblewrap", rows)], "sample", SETTINGS)
    assert (row.n, row.not_judged, row.resolved.value) == (3, 1, 0.5), "a mean of instances, not of answers"


def test_seeds_are_averaged_within_each_instance_before_the_interval() -> None:
    """Of 40 instances seed 0 resolves 10 and seed 1 20, the same 10 among them: means 1, 1/2, 0, variance 0.171875."""
    seeds = [
        Evaluation("base", seed, "bubblewrap", answers("greedy", [[k < solved] for k in range(40)]))
        for seed, solved in ((0, 10), (1, 20))
    ]
    (row,) = pooled_rows(seeds, "greedy", SETTINGS)
    assert (row.seed, row.n, row.not_judged, row.resolved.value) == ("all", 40, 0, 0.375)
    half = 1.96 * (0.171875 / 40) ** 0.5
    assert (row.resolved.low, row.resolved.high) == pytest.approx((0.375 - half, 0.375 + half), abs=0.02)
    assert not list(pooled_rows(seeds[:1], "greedy", SETTINGS)) and not list(pooled_rows(seeds, "vote", SETTINGS))


def test_an_instance_that_one_seed_did_not_judge_is_in_no_row_of_all() -> None:
    seeds = [Evaluation("base", seed, "bubblewrap", answers("greedy", [[True], [False]])) for seed in (0, 1)]
    seeds[1].outcomes[0] = Outcome("i000", "gate", "greedy", 0, True, "error", "infrastructure", "infrastructure")
    (row,) = pooled_rows(seeds, "greedy", SETTINGS)
    assert (row.n, row.not_judged, row.resolved.value) == (1, 1, 0.0)
