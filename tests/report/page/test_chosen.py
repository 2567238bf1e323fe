from openswerl.report.inputs import Evaluation
from openswerl.report.page.chosen import choose
from openswerl.report.rows import Outcome


def evaluation(policy: str, **causes: str) -> Evaluation:
    """One greedy answer an instance: x_1 of the gate split, y_1 of the templates."""
    rows = [
        Outcome(name, "gate" if name[0] == "x" else "templates", "greedy", 0, True, "unresolved", cause)
        for name, cause in causes.items()
    ]
    return Evaluation(policy, 0, "bubblewrap", rows)


def test_every_cause_occurs_before_any_occurs_twice() -> None:
    base = evaluation("base", x1="not_fixed", x2="not_fixed", x3="empty", x4="timeout", y1="refused")
    sft = evaluation("sft", x1="not_fixed", x2="not_fixed", x3="empty", x4="empty", y1="refused")
    assert choose([base, sft], ["gate", "templates"], 3) == ["x1", "x4", "y1"]
    assert choose([base, sft], ["gate", "templates"], 1) == ["x4"], "two causes at once"


def test_then_each_policy_shows_what_it_can_do() -> None:
    base = evaluation("base", x1="empty", x2="empty", x3="resolved", x4="resolved")
    sft = evaluation("sft", x1="resolved", x2="resolved", x3="resolved", x4="empty")
    assert choose([base, sft], ["gate"], 2) == ["x1", "x4"]


def test_all_are_chosen_where_there_are_few() -> None:
    assert choose([evaluation("base", x2="empty", x1="empty")], ["gate"], 9) == ["x1", "x2"]
    assert choose([evaluation("base")], ["gate"], 9) == []
