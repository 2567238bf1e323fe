from collections.abc import Sequence
from typing import Any

import pytest

from openswerl.edits import RULES, Block, render, render_patch
from openswerl.evaluate.mini.bases import Bases, read_file
from openswerl.evaluate.mini.repair import Located, Repaired, Repairer, locate
from openswerl.evaluate.mini.sampling import CHUNK, chunks, packed
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy
from openswerl.models.prompts import repair_prompt
from openswerl.records import make_task

ASKING = Asking("compact", "search_replace", RULES["strict"])
CORE, USER = "calc/core.py", "calc/user.py"


def _repair(world: Any, sampler: Any, located: Located, samples: int, asking: Asking = ASKING) -> list[Repaired]:
    task = world.problems()[0].task
    with Bases(world.sources()) as bases:
        repairer = Repairer(bases, Policy(sampler, sampler.fits), asking, 0, 1.0, {task.instance_id: located})
        return [row for pack in packed(chunks([task], samples), 10_000) for row in repairer.rows(pack)]


def _shown(prompt: str) -> list[str]:
    return sorted(line.removeprefix("### ") for line in prompt.splitlines() if line.startswith("### "))


def test_the_prompt_is_that_of_training(world: Any, scripted: Any) -> None:
    sampler, task = scripted(lambda *_: _core(1)), world.problems()[0].task
    _repair(world, sampler, Located([[USER, CORE]], ""), 1)
    with Bases(world.sources()) as bases:
        files = [read_file(bases.tree(task), path) for path in (CORE, USER)]
    wanted = repair_prompt(make_task(task.instance_id, task.problem_statement, files), "compact")
    assert sampler.prompts == [wanted] and "a - b" in str(wanted)


def test_sets_of_files_take_turns(world: Any, scripted: Any) -> None:
    """Each set has an answer of its own, so reasons show that rows keep their order."""
    sets = [[CORE], [USER, CORE], ["calc/__init__.py"]]
    answers = {"__init__": render("w", [Block("calc/__init__.py", "", "x = 1")]), "total": "no tags"}
    sampler = scripted(lambda step, prompt, number: next((a for k, a in answers.items() if k in prompt), "<think>"))
    rows = _repair(world, sampler, Located(sets, ""), CHUNK + 4)
    assert [row.sample for row in rows] == list(range(CHUNK + 4))
    assert [row.reason is None for row in rows] == [k % 3 == 2 for k in range(CHUNK + 4)]
    assert sorted({tuple(_shown(prompt)) for prompt in sampler.prompts}) == sorted(tuple(sorted(one)) for one in sets)
    assert sum(count for _, count, _ in sampler.calls) == CHUNK + 4


def test_a_chunk_has_seeds_of_its_own(world: Any, scripted: Any) -> None:
    rows = _repair(world, scripted(lambda step, prompt, number: _core(number)), Located([[CORE]], ""), 3 * CHUNK)
    assert len({row.patch for row in rows}) == 3 * CHUNK
    fewer = _repair(world, scripted(lambda step, prompt, number: _core(number)), Located([[CORE]], ""), CHUNK)
    assert rows[:CHUNK] == fewer, "more samples leave those before alone"


def _core(number: int) -> str:
    return render("why", [Block(CORE, "    return a - b", f"    return {number}")])


def test_whole_files_are_skipped_and_counted_where_they_do_not_fit(world: Any, scripted: Any) -> None:
    sampler = scripted(lambda step, prompt, number: _core(1), 60)
    (row,) = _repair(world, sampler, Located([[USER, CORE, "calc/__init__.py", "no.py"]], ""), 1)
    assert _shown(sampler.prompts[0]) == ["calc/__init__.py", CORE] and row.skipped == 2 and row.patch
    tiny = scripted(lambda step, prompt, number: "x", 5)
    assert {r.reason for r in _repair(world, tiny, Located([[CORE]], ""), 3)} == {"prompt_too_long"} and not tiny.calls


def test_a_set_that_shows_nothing_gives_its_samples_to_the_others(world: Any, scripted: Any) -> None:
    rows = _repair(world, scripted(lambda *_: _core(1)), Located([["no.py"], [CORE]], ""), 3)
    assert [row.reason for row in rows] == [None] * 3
    rows = _repair(world, scripted(lambda *_: _core(1)), Located([["no.py"]], ""), 2)
    assert [row.reason for row in rows] == ["unreadable_files"] * 2


def test_rows_tell_why_there_is_no_patch(world: Any, scripted: Any) -> None:
    there, back = Block(CORE, "    return a - b", "    return 1"), Block(CORE, "    return 1", "    return a - b")
    texts = ["no tags", render("w", [there, back]), render("w", [Block("tests/test_n.py", "", "x = 1")]), _core(1)]
    told = {}
    for text in texts:
        (row,) = _repair(world, scripted(lambda *_, text=text: text), Located([[CORE]], ""), 1)
        told[text] = (row.reason, bool(row.patch), row.key is None, row.refused)
    assert list(told.values()) == [
        ("missing_tag", False, True, None),
        ("empty_patch", False, True, None),
        (None, True, False, "touches_tests"),
        (None, True, False, None),
    ]


def test_a_unified_diff_is_asked_for_where_training_does(world: Any, scripted: Any) -> None:
    body = "@@ -1,5 +1,5 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n \n def name():\n"
    patch = f"--- a/{CORE}\n+++ b/{CORE}\n{body}"
    sampler = scripted(lambda step, prompt, number: render_patch("w", patch))
    asking = ASKING._replace(answer="unidiff")
    (row,) = _repair(world, sampler, Located([[CORE]], ""), 1, asking)
    assert "+    return a + b" in row.patch and sampler.prompts[0].endswith("Patch:\n")


@pytest.mark.parametrize(
    ("files", "reasons", "sets", "reason"),
    [
        ([["a"], ["b", "a"], ["a"], ["a", "b"], []], [None] * 4 + ["no_paths"], [["a"], ["b", "a"]], "not_localised"),
        ([[], []], ["no_paths", "server_error"], [], "not_localised"),
        ([[], []], ["too_slow", "server_error"], [], "too_slow"),
        ([[]], ["prompt_too_long"], [], "not_localised"),
    ],
)
def test_file_sets_are_unique_and_faults_are_not_failures_to_localise(
    files: Sequence[Sequence[str]], reasons: Sequence[str | None], sets: Any, reason: str
) -> None:
    assert locate(files, reasons) == Located(sets, reason)


def test_file_sets_are_in_the_order_of_their_first_sample() -> None:
    assert locate([["a"], ["b"], ["a"], ["b", "c"], ["c", "b"]], [None] * 5).sets == [["a"], ["b"], ["b", "c"]]
