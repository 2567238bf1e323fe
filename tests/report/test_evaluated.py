"""What the evaluate stage sums up is what the report reads."""

import functools
import json

import msgspec

from openswerl.evaluate.mini.evidence import Chosen, Evidence, KeptTest, Patch
from openswerl.evaluate.mini.rerank import choose
from openswerl.evaluate.results.breakdown import Facts, breakdown
from openswerl.evaluate.results.localisation import Intervals
from openswerl.evaluate.results.mini import summarise_mini
from openswerl.evaluate.results.scaling import draw, plan_for
from openswerl.report.evaluated import Evaluated

FACTS = {"i": Facts("o/r", "1-4 hours", frozenset({"a.py"}), 4, (0.25, 0.5))}


def test_a_summary_is_read_as_it_was_written() -> None:
    row = Evidence(
        *("i", "gate", [["b.py", "a.py"]], [0, 1, None], [None, None, "rate_limit"]),
        [Patch("p", "p", None, 0, [True]), Patch("q", "q", None, 1, [False])],
        *([KeptTest("t", 2)], 3, Chosen(0, 0, 0, 0), {"repair_rate_limit": 1}),
    )
    drawn = draw([row], plan_for(3, 1), functools.partial(choose))
    mini = summarise_mini([row], FACTS, drawn, {("i", 0): True, ("i", 1): False}, Intervals(0.95, 100, 0))
    outcome = {"instance_id": "i", "split": "gate", "decoding": "mini", "status": "error", "reason": "rate_limit"}
    result = {"digest": "d", "sandbox": "bubblewrap", "mini": mini, "breakdown": breakdown([outcome], FACTS)}
    found = msgspec.json.decode(json.dumps(result), type=Evaluated)
    assert found.mini
    own = found.mini.splits["gate"]
    assert own.localisation and [(at.k, at.recall, at.random) for at in own.localisation.at] == [
        (1, 0, 0.25),
        (2, 1, 0.5),
    ]
    assert (own.tests.rate, own.regression.tests, own.repair.unanswered) == (1.0, 3.0, 1)
    assert [point.k for point in own.scaling["repair"]] == [1, 2, 3] and own.scaling["repair"][-1].rate == 1.0
    assert own.pass_at_k == {"1": 0.5, "2": 1.0}
    assert found.breakdown["gate"]["mini"]["difficulty"][0].not_judged == 1
