"""A page whose every text is hostile, and the browser that opens it."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openswerl.config import Cell
from openswerl.files import write_json, write_jsonl, write_text
from openswerl.report.run import run

HARM = "window.harmed = 1"
HOSTILE = (
    f"</pre></style></script><script>{HARM}</script><img src='http://127.0.0.1:9/x' onerror='{HARM}'>"
    f"<svg onload='{HARM}'></svg><a href='javascript:{HARM}' autofocus onfocus='{HARM}'>x</a>"
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><base href='http://127.0.0.1:9/'>"
    "\u202e\x1b[2J{{ 7*7 }}"
)
TESTS = {"FAIL_TO_PASS": {"success": ["a"], "failure": ["b"]}, "PASS_TO_PASS": {"success": [], "failure": []}}


def spoil(folder: Path, change_lines: Callable[..., None]) -> None:
    """Let an evaluation's answers, issues, patches and logs be hostile texts."""
    names: list[str] = []

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        names.extend(row["instance_id"] for row in rows if row["decoding"] == "greedy")
        return [row | ({"output": HOSTILE} if row["decoding"] == "greedy" else {}) for row in rows]

    change_lines(folder / "outcomes.jsonl", change)
    texts = dict.fromkeys(("repo", "base_commit", "problem_statement", "patch", "test_patch", "eval_script"), HOSTILE)
    rest = {"split": "gate", "version": "", "image": "", "log_parser": ""}
    write_jsonl(folder / "swebench" / "rows.jsonl", [{"instance_id": name, **texts, **rest} for name in names])
    write_jsonl(folder / "predictions.jsonl", [{"instance_id": name, "model_patch": HOSTILE} for name in names])
    for name in names:
        place = folder / "swebench" / "logs" / "run_evaluation" / "run" / "model" / name
        write_text(place / "test_output.txt", HOSTILE)
        write_json(place / "report.json", {name: {"tests_status": TESTS}})
    write_json(folder / "config.json", Cell("evaluate", ("scale=smoke",)).settings)


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory, grid: SimpleNamespace) -> Path:
    """The page of a whole grid with Agentless Mini, all of whose texts are hostile."""
    root = tmp_path_factory.mktemp("hostile")
    folders = grid.write_inputs(root / "inputs")
    grid.add_mini(folders)
    for name, folder in folders.items():
        if name.startswith("evaluate"):
            spoil(folder, grid.change_lines)
        elif name.startswith("grpo"):
            grid.change_lines(folder / "rollouts.jsonl", lambda rows: [row | {"output": HOSTILE} for row in rows])
    run(grid.job_for(root / "results", folders))
    return root / "results" / "report.html"


@dataclass
class Opened:
    """A page in a browser, what it asked for, and what it said: console, errors and dialogs."""

    page: Any
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[dev]'")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no chromium on PATH")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def show(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open a file; every request is noted, and all but that for the file itself is refused."""
    contexts: list[Any] = []

    def make(path: Path, width: int = 1280, **settings: Any) -> Opened:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **settings))
        opened = Opened(contexts[-1].new_page())

        def answer(route: Any) -> None:
            opened.asked.append(route.request.url)
            route.continue_() if route.request.url == path.as_uri() else route.abort()

        contexts[-1].route("**/*", answer)
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.said.append(dialog.message))
        opened.page.goto(path.as_uri())
        return opened

    yield make
    for context in contexts:
        context.close()
