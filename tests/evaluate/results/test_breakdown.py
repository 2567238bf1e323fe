from typing import Any

import pytest

from openswerl.evaluate.results.breakdown import DIFFICULTIES, Facts, breakdown, facts_of
from openswerl.statistics import wilson

FACTS = {
    "a": Facts("one/x", ">4 hours", frozenset({"a.py"})),
    "b": Facts("one/x", "<15 min fix", frozenset({"a.py", "b.py", "c.py", "d.py"})),
    "c": Facts("two/y", "<15 min fix", frozenset()),
    "d": Facts("two/y", "", frozenset({"a.py"})),
}


def _row(instance: str, status: str, reason: str | None = None) -> dict[str, Any]:
    return {"instance_id": instance, "split": "s", "decoding": "mini", "status": status, "reason": reason}


def test_groups_hold_their_own_rates_and_what_was_not_judged() -> None:
    rows = [_row("a", "resolved"), _row("b", "unresolved"), _row("c", "error", "infrastructure"), _row("d", "resolved")]
    found = breakdown(rows, FACTS)["s"]["mini"]
    one, two = found["repository"]
    assert (one["group"], one["instances"], one["not_judged"], one["resolved_rate"]) == ("one/x", 2, 0, 0.5)
    assert (one["resolved_low"], one["resolved_high"]) == wilson(1, 2, 0.95)
    assert (two["group"], two["instances"], two["not_judged"], two["resolved_rate"]) == ("two/y", 1, 1, 1.0)
    assert [(row["group"], row["instances"]) for row in found["difficulty"]] == [("<15 min fix", 1), (">4 hours", 1)]
    assert [row["group"] for row in found["files"]] == ["0", "1", "3+"]
    assert found["files"][0]["resolved_rate"] is None, "its one instance was not judged"


def test_difficulties_are_those_of_verified(data_folder: Any) -> None:
    import gzip
    import json

    path = data_folder / "swebench" / "verified_instances.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert {json.loads(line)["difficulty"] for line in file} == set(DIFFICULTIES)


def test_facts_of_an_instance(world: Any) -> None:
    problem = world.problems()[0]
    facts = facts_of(problem, ["a.py", "b.py"], ["a.py", "b.py", "c.py", "d.py"])
    assert facts == Facts(problem.task.repo, "", frozenset({"a.py", "b.py"}), 4, (0.25, 0.5, 0.75, 1.0, 1.0))
    assert facts.files == "2"
    assert facts_of(problem, ["a.py"]) == Facts(problem.task.repo, "", frozenset({"a.py"}), 0, (0.0,) * 5), "none fits"


def test_an_instance_without_facts_is_an_error() -> None:
    with pytest.raises(KeyError):
        breakdown([_row("z", "resolved")], FACTS)
