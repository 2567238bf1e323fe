from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.answer.parts import ANSWERS, Parts, Row, share
from openswerl.errors import UserError
from openswerl.evaluate.mini.journal import write_rows
from openswerl.evaluate.oracle.repair import Candidate
from openswerl.graph import parts_of


@given(st.lists(st.integers()), st.integers(1, 12))
def test_the_parts_are_the_whole_and_as_even_as_can_be(items: list[int], count: int) -> None:
    shares = [share(items, part) for part in parts_of(count)]
    assert sorted(item for own in shares for item in own) == sorted(items)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["0-of-2", "3-of-2", "1-of-", "all", "1-of-2-of-3", "-1-of-2", "1-of-0"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=f"part={text} is no part; it is <i>-of-<n>"):
        share([], text)


def _write(folder: Path, *names: str) -> Path:
    folder.mkdir()
    candidates = [Candidate("greedy", 0, "é\ud800", "p", "k"), Candidate("mini", 3, reason="empty", refused="tests")]
    write_rows(folder / ANSWERS, [Row(name, candidates, ["a.py"]) for name in names])
    return folder


def test_candidates_come_back_as_they_were_in_the_order_of_the_benchmark(world, tmp_path: Path) -> None:
    problems = world.problems()
    names = [problem.task.instance_id for problem in problems]
    folders = [_write(tmp_path / "1", names[0], names[2]), _write(tmp_path / "2", names[1])]
    parts = Parts(folders, problems)
    assert [problem.task.instance_id for problem, _ in parts.answers] == names == [*parts.shown]
    for _, (first, second) in parts.answers:
        assert (first.output, first.key, second.sample, second.reason) == ("é\ud800", "k", 3, "empty")


@pytest.mark.parametrize("kept", [[0], [2, 0]])
def test_a_part_of_other_instances_is_named(world, tmp_path: Path, kept: list[int]) -> None:
    names = [problem.task.instance_id for problem in world.problems()]
    folders = [_write(tmp_path / "1", *(names[number] for number in kept)), _write(tmp_path / "2", names[1])]
    with pytest.raises(UserError, match=r"1/answers\.jsonl lacks acme__calc-\d; delete its folder"):
        Parts(folders, world.problems())
