from typing import Any

import pytest
from omegaconf import OmegaConf

from openswerl.edits import RULES, Block, git_patch, render, render_patch
from openswerl.evaluate.execution.trees import Entry, apply_patch
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy, read_answer, repair
from openswerl.records import SourceFile, Task
from openswerl.rollout import Completion

TASK = Task("i", "the problem", [SourceFile("p/a.py", "x = 1\ny = 2\n"), SourceFile("p/b.py", "z = 3\n")])
ASKING = Asking("compact", "search_replace", RULES["strict"])
GOOD = render("why", [Block("p/a.py", "x = 1", "x = 5")])


def _read(text: str, *, finished: bool = True, asking: Asking = ASKING) -> Any:
    return read_answer(TASK, Completion(text, [], finished), asking, "greedy", 0)


def test_an_answer_becomes_a_patch_that_git_applies() -> None:
    found = _read(GOOD)
    base = {file.path: Entry("100644", file.content.encode()) for file in TASK.files}
    assert found.format_ok and apply_patch(base, found.patch)["p/a.py"].data == b"x = 5\ny = 2\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "missing_tag"),
        (GOOD + "<think>", "duplicate_tag"),
        ("<think>a</think><solution></solution>", "no_blocks"),
        (render("a", [Block("p/a.py", "nowhere", "x")]), "search_not_found"),
        (render("a", [Block("p/c.py", "x = 1", "x")]), "search_not_found"),
    ],
)
def test_a_badly_formed_answer_keeps_its_reason(text: str, reason: str) -> None:
    found = _read(text)
    assert (found.reason, found.patch, found.key, found.output) == (reason, "", None, text)


def test_the_rules_of_the_asking_decide() -> None:
    dotted = GOOD.replace("### p/a.py", "### ./p/a.py")
    assert _read(dotted).patch == _read(GOOD).patch
    assert _read(dotted, asking=ASKING._replace(rules=RULES["paper"])).reason == "search_not_found"


def test_a_unified_diff_is_applied_by_git() -> None:
    asking = ASKING._replace(answer="unidiff")
    files = {"p/a.py": "x = 5\ny = 2\n", "p/new.py": "n\n", "p/b.py": None}
    patch = git_patch({file.path: file.content for file in TASK.files}, files)
    found = _read(render_patch("why", patch), asking=asking)
    assert (found.reason, found.patch) == (None, patch)
    moved = patch.replace("x = 1", "x = 7")
    assert _read(render_patch("why", moved), asking=asking).reason == "patch_does_not_apply"
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n"
    assert _read(render_patch("why", link), asking=asking).reason == "patch_does_not_apply"


def test_the_prompt_asks_for_the_form_of_answer(table: Any) -> None:
    sampler = table({"problem": GOOD}, {})
    cfg = OmegaConf.create({"samples": 0, "temperature": 1.0})
    asking = ASKING._replace(answer="unidiff")
    repair([[TASK]], Policy(sampler, lambda prompt: True), cfg, asking, seed=0, say=lambda text: None, repos=["o/r"])
    assert sampler.prompts[0].endswith("Patch:\n")


def test_an_unfinished_answer_is_badly_formed_even_if_it_parses() -> None:
    assert _read(GOOD, finished=False).reason == "unfinished"


def test_an_answer_that_never_came_keeps_the_code_of_its_fault() -> None:
    found = read_answer(TASK, Completion("", [], False, fault="too_slow"), ASKING, "greedy", 0)
    assert (found.reason, found.patch, found.output) == ("too_slow", "", "")


def test_edits_alike_but_for_comments_share_a_key() -> None:
    other = render("other", [Block("p/a.py", "x = 1", "x  =  5  # five")])
    assert _read(other).key == _read(GOOD).key and _read(other).patch != _read(GOOD).patch


def test_a_new_test_file_is_refused() -> None:
    found = _read(render("a", [Block("tests/test_new.py", "", "x")]))
    assert found.refused and found.format_ok and found.patch
    assert _read(render("a", [Block("json.py", "", "x")])).refused and not _read(GOOD).refused


def _repair(tasks: Any, sampler: Any, fits: Any = lambda prompt: True, samples: int = 2) -> Any:
    cfg = OmegaConf.create({"samples": samples, "temperature": 1.0})
    repos = ["o/r"] * len(tasks)
    return repair(tasks, Policy(sampler, fits), cfg, ASKING, seed=3, say=lambda text: None, repos=repos)


def test_every_instance_gets_a_greedy_answer_and_the_samples(table: Any) -> None:
    sampler = table({"problem": GOOD}, {"problem": ["bad", GOOD]})
    found = _repair([[TASK]] * 70, sampler)
    assert len(found) == 70
    for group in found:
        assert [(c.decoding, c.sample, c.reason) for c in group] == [
            ("greedy", 0, None), ("sample", 0, "missing_tag"), ("sample", 1, None),
        ]  # fmt: skip


def test_an_instance_has_a_seed_of_its_own_wherever_it_stands(table: Any) -> None:
    tasks = [Task(name, "the problem", TASK.files) for name in ("i", "j", "k")]
    forwards, backwards = table({"problem": GOOD}, {}), table({"problem": GOOD}, {})
    _repair([[task] for task in tasks], forwards)
    _repair([[task] for task in reversed(tasks)], backwards)
    _, seeds = forwards.seeds
    assert len(set(seeds)) == 3 and backwards.seeds == [seeds[::-1]] * 2


def test_no_samples_asks_for_greedy_alone(table: Any) -> None:
    sampler = table({"problem": GOOD}, {})
    assert [len(group) for group in _repair([[TASK]], sampler, samples=0)] == [1]
    assert len(sampler.seeds) == 1


def test_context_is_dropped_until_the_prompt_fits_and_what_never_fits_is_counted(table: Any) -> None:
    small = Task("i", "the problem", TASK.files[:1])
    huge = Task("j", "huge problem" * 50, TASK.files)
    sampler = table({"problem": GOOD}, {})
    found = _repair([[TASK, small], [huge, huge], [small]], sampler, fits=lambda prompt: len(prompt) < 60)
    assert [group[0].reason for group in found] == [None, "prompt_too_long", None]
    assert [len(group) for group in found] == [3, 3, 3]
    assert all("p/b.py" not in prompt for prompt in sampler.prompts)
