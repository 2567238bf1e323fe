"""Agentless Mini on the tiny benchmark, by a sampler that answers each step from a script; also in a process to kill.

`python mini_runs.py ROOT LAPTOP STEP COUNT` runs it below ROOT and, at the COUNT-th answer or execution of a STEP
(repair, or run), writes ROOT/stopped and waits to be killed.
"""

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from openswerl.compose import load as load_config
from openswerl.edits import RULES, Block, render
from openswerl.evaluate.backends.laptop import LaptopBackend
from openswerl.evaluate.execution.actions import Action
from openswerl.evaluate.execution.cache import Cached
from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.execution.sources import Sources
from openswerl.evaluate.execution.store import Store
from openswerl.evaluate.mini.evidence import Evidence, read_evidence
from openswerl.evaluate.mini.run import Mini, run_mini
from openswerl.evaluate.oracle.reading import Asking
from openswerl.evaluate.oracle.repair import Policy
from openswerl.evaluate.views import TaskView, load
from openswerl.rollout import Answered, Completion, Sampler

MANY = ("repair.samples=40", "reproduction.samples=24", "localisation.samples=6")


THOUGHT = "<think>\na thought\n</think>\n<solution>\n{}\n</solution>"
ADD, SHOUT = "calc/core.py", "words/case.py"
REPAIRS = {
    ADD: [
        ("    return a - b", "    return a + b"),
        ("    return a - b", "    return a + b  # the sum"),
        ("    return a - b", "    return b - a"),
        ("    return 'calc'", "    return 'clac'"),
        ("    return a - b", "    return a - b  # no sum"),
        ("no such line", "x"),
    ],
    SHOUT: [
        ("    return text.lower()", "    return text.upper()"),
        ("    return text.lower()", "    return text.title()"),
        ("    return text.lower()", "    return text"),
    ],
}
PROGRAM = """\
from {module} import {name}
print("{said}") if {wrong} else print("Issue resolved")
"""
ADDS = [
    PROGRAM.format(module="calc.core", name="add", said="Issue reproduced", wrong="add(2, 2) == 0"),
    PROGRAM.format(module="calc.core", name="add", said="Issue reproduced", wrong="add(1, 1) != 2"),
    "# a comment\n" + PROGRAM.format(module="calc.core", name="add", said="Issue reproduced", wrong="add(1, 1) != 2"),
    PROGRAM.format(module="calc.core", name="name", said="Other issues", wrong="name() == 'calc'"),
    "import absent\n",
    "def broken(:\n",
]
SHOUTS = [
    PROGRAM.format(module="words.case", name="shout", said="Issue reproduced", wrong="shout('aB') == 'ab'"),
    PROGRAM.format(module="words.case", name="shout", said="Issue reproduced", wrong="shout('aB') != 'AB'"),
]


def answer(step: str, prompt: str, number: int) -> str:
    """Return the answer number `number`, modulo how many there are."""
    about = SHOUT if "shout" in prompt.splitlines()[0] else ADD
    if step == "localise":
        files = [[about], [about, "calc/user.py"], ["no/such.py", about], []]
        return THOUGHT.format("\n".join(f"### {path}" for path in files[number % len(files)]))
    if step == "repair":
        search, replace = REPAIRS[about][number % len(REPAIRS[about])]
        return render("a thought", [Block(about, search, replace)])
    programs = SHOUTS if about == SHOUT else ADDS
    return THOUGHT.format(f"```python\n{programs[number % len(programs)]}```")


STEPS = {
    "Files:\n": "localise",
    "Answer:\n": "repair",
    "Patch:\n": "repair",
    "Test:\n": "program",
    "Tests that change:\n": "exclude",
}
Script = Callable[[str, str, int], str | Completion]


def step_of(prompt: str) -> str:
    """Return the step that a compact prompt belongs to."""
    return next(step for end, step in STEPS.items() if prompt.endswith(end))


class ScriptedSampler(Sampler):
    """Answers by `script(step, prompt, number)`; the number is a hash of the prompt's seed and the sample."""

    tokenizer = None

    def __init__(self, script: Script, max_prompt_tokens: int = 10_000) -> None:
        self.script, self.max_prompt_tokens = script, max_prompt_tokens
        self.calls: list[tuple[str, int, float]] = []
        self.prompts: list[str] = []

    def stream(
        self, prompts: Sequence[Any], *, samples: int, temperature: float, seeds: Sequence[int]
    ) -> Iterator[Answered]:
        self.calls.append((step_of(prompts[0]), len(prompts) * samples, temperature))
        self.prompts += prompts
        for k, (prompt, seed) in enumerate(zip(prompts, seeds, strict=True)):
            for i in range(samples):
                number = int.from_bytes(hashlib.sha256(f"{seed} {i}".encode()).digest()[:4], "big")
                answer = self.script(step_of(prompt), prompt, number)
                yield Answered(k, i, Completion(answer, [], True) if isinstance(answer, str) else answer)


class MiniRun:
    """Runs Agentless Mini below a folder."""

    def __init__(self, root: Path, laptop: Path) -> None:
        self.root, self.laptop = root, laptop

    def __call__(
        self, sampler: Sampler, *settings: str, names: Any = None, backend: type[LaptopBackend] | None = None
    ) -> list[Evidence]:
        cfg = OmegaConf.merge(load_config().evaluate.mini, OmegaConf.from_dotlist(list(settings)))
        sources = Sources(self.laptop / "repos")
        problems = load(self.laptop / "benchmark" / "rows.jsonl", {"gate": 2, "templates": 1})
        cached = Cached((backend or LaptopBackend)(sources, "bubblewrap", 5), Store(self.root / "cache"))
        with closing(cached):
            mini = Mini(
                tasks=[problem.task for problem in problems],
                sources=sources,
                policy=Policy(sampler, sampler.fits),
                backend=cached,
                cfg=cfg,
                asking=Asking("compact", "search_replace", RULES["strict"]),
                seed=0,
                identity="a policy",
                folder=self.root / "work",
                say=lambda text: None,
                names=names,
            )
            found = list(read_evidence(run_mini(mini, self.evidence)))
        self.executed = cached.ran
        return found

    @property
    def evidence(self) -> Path:
        return self.root / "mini" / "evidence.jsonl"

    def files(self) -> dict[str, bytes]:
        """All journals and the evidence."""
        return {path.name: path.read_bytes() for path in [*sorted((self.root / "work").iterdir()), self.evidence]}


class Stop:
    """Writes a file at a count, and then waits to be killed."""

    def __init__(self, path: Path, count: int) -> None:
        self.path, self.left = path, count

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.path.touch()
            time.sleep(600)


def main(root: Path, laptop: Path, step: str, count: int) -> None:
    stop = Stop(root / "stopped", count)

    class Stopping(LaptopBackend):
        def run(self, task: TaskView, patch: str, action: Action, attempt: int = 0) -> Execution:
            found = super().run(task, patch, action)
            if step == "run":
                stop.step()
            return found

    def counted(asked: str, prompt: str, number: int) -> str:
        if asked == step:
            stop.step()
        return answer(asked, prompt, number)

    MiniRun(root, laptop)(ScriptedSampler(counted), *MANY, "rows=32", backend=Stopping)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
