"""The prompts of Agentless Mini besides repair: where to look, how to reproduce, which tests a fix may change.

As in `prompts`, `compact` suits a model of a million parameters and `chat` a general one; nothing here takes gold data.
Answers stand between the solution tags: paths one a line, each after `### `, or one Python program in a fence.
"""

from collections.abc import Sequence

from openswerl.models.prompts import Prompt, frame
from openswerl.records import SourceFile, Task

REPRODUCED, RESOLVED, OTHER = "Issue reproduced", "Issue resolved", "Other issues"

SYSTEM = (
    "You study issues in software repositories. First reason step by step between <think> and </think>. Then give your "
    "answer between <solution> and </solution>. Use each of these four tags exactly once."
)
LOCALISE = """\
Which of these files must be edited to fix the issue? Name at most {most}, the most likely first, one a line, each \
with its full path after three hash signs:
### path/of/the/file"""
REPRODUCE = f"""\
Write one Python program that shows whether the issue is still there. It runs in the root folder of the repository and \
prints exactly one of these lines:
- {REPRODUCED}: the wrong behaviour of the issue was seen
- {RESOLVED}: the behaviour is as the issue asks for
- {OTHER}: anything else went wrong, for example an import
Call the repository's own code; use no network and write no files. Put the whole program into one code fence."""
EXCLUDE = """\
Fixing the issue may rightly change what some of these tests check. Name the tests that a right fix can break, one a \
line after three hash signs, or none:
### name of the test"""


def localise_prompt(statement: str, tree: str, most: int, form: str, hint: str = "") -> Prompt:
    """Return the question which files to edit. `tree` is the printed repository tree, `most` how many may be named."""
    chat = f"The files of the repository:\n```\n{tree}\n```\n\n{hint}{LOCALISE.format(most=most)}"
    return frame(_task(statement), form, f"{tree}\n{hint}Files:", chat, SYSTEM)


def name_files(paths: Sequence[str]) -> str:
    """Return paths as the answer to `localise_prompt` lists them."""
    return "\n".join(f"### {path}" for path in paths)


def named(solution: str) -> list[str]:
    """Return what the lines of a solution name, in order: after hash signs or a dash, in quotes or bare."""
    lines = (line.strip().lstrip("#-* ").strip().strip("`'\"") for line in solution.split("\n"))
    return [line for line in lines if line]


def reproduction_prompt(statement: str, example: SourceFile | None, form: str) -> Prompt:
    """Return the question for a reproduction test, with a test file of the repository as an example if there is one."""
    shown = f"### {example.path}\n{example.content.rstrip()}\n" if example else ""
    context = f"A test file of the repository:\n```\n{shown}```\n\n" if example else ""
    return frame(_task(statement), form, f"{shown}Test:", f"{context}{REPRODUCE}", SYSTEM)


def exclusion_prompt(statement: str, tests: Sequence[str], form: str) -> Prompt:
    """Return the question which of the passing tests a right fix may break."""
    listed = "\n".join(tests)
    chat = f"Tests that pass today:\n```\n{listed}\n```\n\n{EXCLUDE}"
    return frame(_task(statement), form, f"{listed}\nTests that change:", chat, SYSTEM)


def _task(statement: str) -> Task:
    return Task("", statement, [])
