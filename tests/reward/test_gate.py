import pytest

from openswerl.errors import UserError
from openswerl.records import Instance, SourceFile
from openswerl.reward import Gate, ScorePool, UnscorableError, gate, golden_answer, require


def instance(name: str, old: str, new: str) -> Instance:
    files = [SourceFile("a.py", old)], [SourceFile("b.py", "q\n")], [SourceFile("a.py", new)]
    return Instance(name, "o/r", "c0ffee", "the problem", *files, "")


GOOD = [instance(f"good{i}", "x = 1\ny = 1\n", f"x = {i}\ny = 1\n") for i in range(2, 5)]
LINE_ENDS = instance("ends", "x = 1\n", "x = 1\r\n")
TAG = instance("tag", "x\n", "<think>\n")
BLOCK = instance("block", "x\n", "a\n>>>>>>> REPLACE\nb\n")


def run(instances: list[Instance], kind: str = "continuous", compat: str = "strict") -> Gate:
    from openswerl.edits import RULES

    with ScorePool(kind, RULES[compat], time_limit_s=60) as pool:
        return gate(instances, pool)


def test_golden_answers_that_score_one_pass_in_order() -> None:
    for kind in ("continuous", "discrete", "unidiff", "patch_text"):
        assert run(GOOD, kind) == Gate(GOOD, [])


def test_instances_that_cannot_be_learnt_are_told_apart() -> None:
    found = run([GOOD[0], LINE_ENDS, TAG, BLOCK, GOOD[1]])
    assert found.passed == GOOD[:2]
    assert found.failed == [
        ("ends", "empty_oracle"), ("tag", "gold_inexpressible"), ("block", "marker_inside_block"),
    ]  # fmt: skip
    assert found.share == 0.6


def test_a_marker_inside_the_text_is_fine_by_the_paper_s_rules() -> None:
    assert run([BLOCK], compat="paper").failed == []


def test_a_patch_may_hold_what_a_block_may_not() -> None:
    assert run([BLOCK], "unidiff").failed == []
    assert run([TAG], "unidiff").failed == [("tag", "duplicate_tag")]


def test_too_large_a_share_ends_the_run_in_one_line() -> None:
    found = run([*GOOD, LINE_ENDS, TAG])
    require(found, 0.4)
    with pytest.raises(UserError) as caught:
        require(found, 0.05)
    assert str(caught.value) == (
        "the golden answer does not earn 1.0 on 2 of 5 instances (1 empty_oracle, 1 gold_inexpressible; ends, tag); "
        "repair the data, or raise reward.max_unscorable=0.05"
    )


def test_nothing_left_ends_the_run_whatever_the_share() -> None:
    for instances in ([], [TAG]):
        with pytest.raises(UserError, match=f"on {len(instances)} of {len(instances)} instances"):
            require(run(instances), 1.0)


def test_the_golden_answer_is_told_by_its_form() -> None:
    assert "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n" in golden_answer(GOOD[0], "search_replace", "why")
    assert "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n" in golden_answer(GOOD[0], "unidiff", "why")
    with pytest.raises(UnscorableError, match="empty_oracle"):
        golden_answer(LINE_ENDS, "search_replace")
