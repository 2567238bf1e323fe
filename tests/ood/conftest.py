"""One sandbox for all tests of the judges, and a real record of answers in place of a model."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from openswerl.config import Cell
from openswerl.models.prompts import digest_of, plain_prompt
from openswerl.ood.execution import Sandboxes, Verdict
from openswerl.ood.run import run
from openswerl.ood.suite import Item, Program, Row
from openswerl.ood.suites import SUITES, load
from openswerl.rollout import Completion, seed_of
from openswerl.rollout.recording import Place, Recorded
from openswerl.stage import Job


def settings(**changes: Any) -> Any:
    return SimpleNamespace(**{"rows": None, "subset": None, "split": "test", "instances": 0, "python": None, **changes})


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[Sandboxes]:
    with Sandboxes("bubblewrap", 10) as found:
        found.open(None)
        yield found


@pytest.fixture(scope="session")
def judge(sandboxes: Sandboxes) -> Callable[[str, Row, str], Verdict]:
    """Return the verdict on an output, by suite and row."""

    def judged(name: str, row: Row, output: str) -> Verdict:
        suite = SUITES[name]
        item = suite.item(row)
        found = suite.judge(item, suite.answer(item, output))
        if isinstance(found, Program):
            return sandboxes.run(found, None)
        return Verdict("correct" if found else "wrong", None if found else "wrong_answer")

    return judged


@pytest.fixture(scope="session")
def own() -> Callable[[str], list[Item]]:
    """Return the items of a suite of ours."""
    return lambda name: load(name, settings()).items


class Stage:
    """Runs the ood stage on the answers that `give` finds for a suite's item; None is an answer that never came."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def job(self, give: Callable[[str, Item], str | None], *overrides: str) -> Job:
        cfg = Cell("ood", overrides).view()
        known = {name: load(name, block).items for name, block in cfg.ood.suites.items()}
        said = {digest_of(plain_prompt(i.question, "compact")): give(n, i) for n, group in known.items() for i in group}
        record = self.root / "record.jsonl"
        rows = [
            Recorded(Place(sha, 0.0, seed_of(0, sha), 0), Completion(text, [], True))
            for sha, text in said.items()
            if text is not None
        ]
        record.write_text("".join(json.dumps(msgspec.to_builtins(row)) + "\n" for row in rows))
        replayed = ("rollout=replay", f"rollout.replay={record}", "tracking.wandb=disabled")
        return Job(Cell("ood", (*overrides, *replayed)).view(), self.root / "out", {}, "0123456789ab")

    def run(self, give: Callable[[str, Item], str | None], *overrides: str) -> dict[str, Any]:
        return run(self.job(give, *overrides))

    def outcomes(self) -> list[Row]:
        return [json.loads(line) for line in (self.root / "out" / "outcomes.jsonl").read_text().splitlines()]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)
