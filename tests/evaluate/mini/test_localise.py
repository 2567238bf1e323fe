from typing import Any

import pytest

from openswerl.evaluate.mini.bases import Bases
from openswerl.evaluate.mini.localise import Localised, Localiser, Shown, narrowed, read_paths
from openswerl.evaluate.mini.sampling import chunks, packed
from openswerl.evaluate.mini.tree import Look, draw_look, print_tree
from openswerl.evaluate.oracle.repair import Policy
from openswerl.rollout import Completion

PATHS = ["a.py", "b/c.go", "b/new file.py", "d.rs"]


def _read(solution: str, *, finished: bool = True, fault: str | None = None, most: int = 3) -> Localised:
    text = f"<think>\nx\n</think>\n<solution>\n{solution}\n</solution>"
    return read_paths("i", 0, Completion(text, [], finished, fault=fault), Shown("", frozenset(PATHS), 0, most))


@pytest.mark.parametrize(
    ("solution", "files", "unknown"),
    [
        ("### a.py", ["a.py"], 0),
        ("### d.rs\n### a.py\n### d.rs", ["d.rs", "a.py"], 0),
        ("some words\n### b/new file.py  \n### b/c.go", ["b/new file.py", "b/c.go"], 1),
        ("### c.go\n### ./a.py\n### /a.py\n### A.py\n### a\n### b\n### d.rs", ["d.rs"], 6),
        ("### d.rs\n### b/c.go\n### a.py\n### b/new file.py", ["d.rs", "b/c.go", "a.py"], 0),
    ],
)
def test_exact_paths_alone_count_in_order(solution: str, files: list[str], unknown: int) -> None:
    found = _read(solution)
    assert (found.files, found.unknown, found.reason) == (files, unknown, None)


def test_an_answer_without_files_has_a_reason() -> None:
    assert _read("### x.py").reason == _read("some words").reason == "no_paths" and _read("### x.py").unknown == 1
    assert _read("### a.py", finished=False).reason == "unfinished"
    assert _read("### a.py", finished=False, fault="rate_limit").reason == "rate_limit"
    shown = Shown("", PATHS, 0, 3)
    assert read_paths("i", 0, Completion("### a.py", [], True), shown).reason == "missing_tag"


def test_a_tree_is_narrowed_to_sources_and_then_to_what_is_no_test() -> None:
    paths = ["a.py", "data.csv", "doc/x.md", "src/b.go", "src/b_test.go", "tests/test_a.py"]
    assert [list(part) for part in narrowed(paths)] == [
        paths,
        ["a.py", "src/b.go", "src/b_test.go", "tests/test_a.py"],
        ["a.py", "src/b.go"],
    ]


def _rows(world: Any, sampler: Any, samples: int) -> list[Localised]:
    tasks = [problem.task for problem in world.problems()]
    with Bases(world.sources()) as bases:
        localiser = Localiser(bases, Policy(sampler, sampler.fits), "compact", 0, samples, 1.0)
        return [row for pack in packed(chunks(tasks, samples), 1000) for row in localiser.rows(pack)]


def test_samples_see_the_tree_in_ways_of_their_own_and_one_alone_in_order(world: Any, scripted: Any) -> None:
    several, one = (scripted(lambda step, prompt, number: "x") for _ in range(2))
    _rows(world, several, 6)
    looks = {prompt for prompt in several.prompts if "add(2, 2)" in prompt}
    assert len(looks) > 3 and {tuple(sorted(prompt.splitlines())) for prompt in looks} == {
        tuple(sorted(several.prompts[0].splitlines()))
    }, "the same files, in another order"
    assert several.calls == [("localise", 18, 1.0)]
    _rows(world, one, 1)
    paths = ["calc/__init__.py", "calc/core.py", "calc/user.py", "tests/test_core.py"]
    assert one.prompts[0].splitlines()[1:-1] == paths and one.calls == [("localise", 3, 0.0)]


def test_the_numbers_of_files_and_indents_vary_with_the_seed() -> None:
    """What a chat prompt shows; a compact one has one path a line."""
    looks = [draw_look(seed) for seed in range(40)]
    assert {look.most for look in looks} == {2, 3, 4, 5} and {look.indent for look in looks} == {2, 4}
    assert print_tree(["b/c.py", "b/d.py", "a.py"], Look(), "chat") == "a.py\nb/\n    c.py\n    d.py"
    assert draw_look(3) == draw_look(3)


def test_what_a_tree_leaves_out_to_fit_is_counted(own_world: Any, scripted: Any) -> None:
    files = {f"data/{number}.csv": "x\n" for number in range(300)}
    told = {key: own_world.rows[1][key] for key in ("instance_id", "split", "problem_statement", "FAIL_TO_PASS")}
    del own_world.rows[1]
    own_world.add("acme/words", files, {"words/case.py": "x\n"}, {"tests/test_case.py": "y\n"}, **told)
    sampler = scripted(lambda step, prompt, number: "<think>x</think><solution>\n### words/case.py\n</solution>", 200)
    rows = {row.instance_id: row for row in _rows(own_world, sampler, 1)}
    words = rows["acme__words-2"]
    assert (words.files, words.left_out) == (["words/case.py"], 300) and rows["acme__calc-1"].left_out == 0
    sampler = scripted(lambda step, prompt, number: "x", 10)
    assert {row.reason for row in _rows(own_world, sampler, 2)} == {"prompt_too_long"} and sampler.calls == []
