"""With related files against without: pairs are found from the settings of the cells, and compared by instance."""

from types import SimpleNamespace

import pytest

from openswerl.config import Cell
from openswerl.report.inputs import Evaluation
from openswerl.report.related import effects, without_related
from openswerl.report.rows import Outcome
from openswerl.report.tables.related import RELATED, related

SETTINGS = SimpleNamespace(confidence=0.95, resamples=2000, bootstrap_seed=0, splits={"gate": 1})


def evaluation(policy: str, seed: int, extra: list[int | None]) -> Evaluation:
    """One greedy answer an instance: so many files too many, None without a patch."""
    rows = [
        Outcome(f"i{k}", "gate", "greedy", 0, True, "unresolved", "not_fixed")
        if number is None
        else Outcome(
            f"i{k}", "gate", "greedy", 0, True, "unresolved", "not_fixed", files_changed=number + 1, files_extra=number
        )
        for k, number in enumerate(extra)
    ]
    return Evaluation(policy, seed, "bubblewrap", rows)


def inputs(*evaluations: Evaluation) -> SimpleNamespace:
    return SimpleNamespace(evaluations=list(evaluations), seeds=sorted({item.seed for item in evaluations}))


def test_over_editing_is_compared_where_both_wrote_a_patch() -> None:
    """Of six patches in both, three and one touch too much: 50 % against 17 %, and two discordant instances."""
    shown = evaluation("grpo-continuous", 0, [1, 1, 2, 0, 0, 0, None, 1])
    hidden = evaluation("grpo-continuous@off", 0, [1, 0, 0, 0, 0, 0, 1, None])
    found = related(effects(inputs(shown, hidden), ["grpo-continuous@off"], SETTINGS))
    assert list(found.columns) == list(RELATED) and list(found.measure) == ["extra", "format", "resolved"]
    row = found.iloc[0]
    assert (row.policy, row.against, row.n) == ("grpo-continuous", "grpo-continuous@off", 6)
    assert (row.with_related_rate, row.without_related_rate) == pytest.approx((3 / 6, 1 / 6))
    assert (row.only_with, row.only_without, row.mcnemar_p) == (2, 0, 0.5)
    assert found.n.to_list()[1:] == [8, 8]


def test_seeds_are_there_one_by_one_and_together() -> None:
    evaluations = [evaluation(name, seed, [1, 0, seed]) for name in ("sft", "sft@off") for seed in (0, 1)]
    found = related(effects(inputs(*evaluations), ["sft@off"], SETTINGS))
    assert found[found.measure == "extra"].seed.to_list() == ["0", "1", "all"]
    assert found.with_minus_without.abs().max() == 0


def test_without_a_variant_there_is_nothing() -> None:
    only = inputs(evaluation("sft", 0, [1, 0]), evaluation("sft@kl", 0, [1, 0]))
    assert not list(effects(only, [], SETTINGS))
    assert not list(effects(inputs(evaluation("sft", 0, [1])), ["sft"], SETTINGS))


def test_the_experiment_names_its_policies_without_related_files() -> None:
    """conf/experiment/relate_on_off.yaml has the variant related-off of three policies."""
    cells = Cell("report", ("experiment=relate_on_off",)).before
    assert without_related(cells) == ["base@related-off", "sft@related-off", "grpo-continuous@related-off"]
