from collections.abc import Sequence

from figure_runs import training
from openswerl.report.figures.palette import look
from openswerl.report.figures.panels import panels


def shape(labels: Sequence[str], seeds: int = 2) -> list[tuple[str, str, list[tuple[str, int]]]]:
    runs = [training(label, seed, [0.0]) for label in labels for seed in range(seeds)]
    return [(p.variant, p.suffix, [(one.label, len(one.runs)) for one in p.series]) for p in panels(runs)]


def test_rewards_share_a_panel_and_variants_have_their_own() -> None:
    assert shape(["continuous", "continuous@tidy", "discrete", "discrete@tidy"]) == [
        ("default", "", [("continuous", 2), ("discrete", 2)]),
        ("tidy", "-tidy", [("continuous", 2), ("discrete", 2)]),
    ]
    assert shape(["continuous", "discrete"], 1) == [("", "", [("continuous", 1), ("discrete", 1)])]
    assert shape(["continuous@tidy", "discrete@tidy"], 1) == [
        ("tidy", "-tidy", [("continuous", 1), ("discrete", 1)])
    ], "a grid without the default says which variant it is"


def test_variants_of_a_single_reward_share_the_panel_and_look_different() -> None:
    labels = ["continuous@group-4", "continuous", "continuous@group-16"]
    assert shape(labels) == [("", "", [("group-4", 2), ("default", 2), ("group-16", 2)])]
    (panel,) = panels([training(label, 0, [0.0]) for label in labels])
    assert len({one.look for one in panel.series}) == 3 and panel.series[0].look == look("grpo-continuous")
    assert shape(["continuous"], 1) == [("", "", [("continuous", 1)])]


def test_a_reward_that_a_variant_leaves_as_it_is_has_no_line_there() -> None:
    found = shape(["continuous", "discrete", "discrete@penalty-2"], 1)
    assert found[1] == ("penalty-2", "-penalty-2", [("discrete", 1)])
