"""Ten thousand hostile answers: no exception, a reward in its range, equal when repeated, nothing written outside."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from adversarial.answers import CONTEXT, ORACLE, answer
from openswerl.edits import RULES, FormatError, edit
from openswerl.evaluate.execution.trees import REGULAR, Entry, PatchError, apply_patch
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Candidate, read_answer
from openswerl.records import SourceFile, Task
from openswerl.reward import Score, ScorePool
from openswerl.rollout import Completion

KINDS = ("continuous", "discrete", "unidiff", "patch_text")
HYBRID = {"parts": {"continuous": 0.5, "discrete": 0.5}}
PENALTY, LIMIT_S, LIMITS = -0.75, 20.0, ("timeout", "memory_limit")
SLOW = pytest.param(range(10_000), marks=pytest.mark.slow, id="10000")
FAST = pytest.param(range(10_000, 10_250), id="250")
TREE = {path: Entry(REGULAR, text.encode()) for path, text in CONTEXT.items()}


def check(scored: Score) -> None:
    if scored.reward is None:
        assert scored.reason in LIMITS
    elif scored.reason is not None:
        assert scored.reward == PENALTY and scored.files == {}
    else:
        assert 0.0 <= scored.reward <= 1.0
        assert all(0.0 <= value <= 1.0 for value in scored.files.values())


@pytest.mark.parametrize("seeds", [FAST, SLOW])
@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize("kind", [*KINDS, "hybrid"])
def test_every_reward_of_every_answer(kind: str, compat: str, seeds: range, given: Counter[str]) -> None:
    options = HYBRID if kind == "hybrid" else {}
    reasons: Counter[str | None] = Counter()
    settings = {"format_penalty": PENALTY, "options": options, "time_limit_s": LIMIT_S}
    with ScorePool(kind, RULES[compat], **settings) as pool, ScorePool(kind, RULES[compat], **settings) as again:
        for start in range(0, len(seeds), 50):
            calls = [(CONTEXT, ORACLE, answer(seed)) for seed in seeds[start : start + 50]]
            scores = pool.score_many(calls)
            for seed, score in zip(seeds[start : start + 50], scores, strict=True):
                try:
                    check(score)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}: {score}") from error
            for first, second in zip(scores[:10], again.score_many(calls[:10]), strict=True):
                if not {first.reason, second.reason} & set(LIMITS):  # which are the machine's
                    assert (first.reward, first.reason, first.files) == (second.reward, second.reason, second.files)
            reasons.update(score.reason for score in scores)
    given["answers to rewards"] += len(seeds)
    assert reasons[None] > len(seeds) // 20 and "missing_tag" in reasons, reasons


@pytest.mark.parametrize("seeds", [FAST, SLOW])
@pytest.mark.parametrize("compat", RULES)
def test_an_edit_is_made_or_refused_in_time(compat: str, seeds: range, given: Counter[str]) -> None:
    worst = 0.0
    for seed in seeds:
        output, start = answer(seed), time.thread_time()
        try:
            new = edit(CONTEXT, output, RULES[compat]).new
        except FormatError:
            new = {}
        worst = max(worst, time.thread_time() - start)
        assert all(isinstance(path, str) and isinstance(text, str) for path, text in new.items())
    given["answers to edits"] += len(seeds)
    assert worst < 2.0


def candidate(task: Task, output: str, form: str) -> Candidate:
    return read_answer(task, Completion(output, [], True), Asking("compact", form, RULES["strict"]), "greedy", 0)


@pytest.mark.parametrize("seeds", [FAST, SLOW])
@pytest.mark.parametrize("form", ["search_replace", "unidiff"])
def test_a_patch_stays_in_the_tree(
    form: str, seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Counter[str]
) -> None:
    """What evaluation makes of an answer, applied as its backends apply it; around it, nothing may appear."""
    outside = [Path("/tmp", name) for name in ("outside.py", "outside")]
    before = [path.exists() for path in outside]
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    monkeypatch.setattr("openswerl.evaluate.execution.trees.MEMORY", str(tmp_path / "inside"))
    task = Task("t-1", "it fails", [SourceFile(*item) for item in CONTEXT.items()])
    seen: Counter[str] = Counter()
    for seed in seeds:
        made = candidate(task, answer(seed), form)
        assert made == candidate(task, answer(seed), form), seed
        if not made.format_ok:
            seen["malformed"] += 1
            continue
        try:
            tree = apply_patch(TREE, made.patch) if made.patch else TREE
        except PatchError:
            seen["refused by git"] += 1
            continue
        seen["refused by us" if made.refused else "applied"] += 1
        for path in tree:
            assert not os.path.isabs(path) and not {"..", ".git"} & set(path.split("/")), (seed, path)
    given["answers to patches"] += len(seeds)
    assert os.listdir(tmp_path) == ["inside"] and os.listdir(tmp_path / "inside") == []
    assert [path.exists() for path in outside] == before
    assert seen["malformed"] > 0 and seen["applied"] > 0, seen
