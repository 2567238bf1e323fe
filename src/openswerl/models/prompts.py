"""The prompts of the graph. They take a `Task`, which holds no gold data; only `hinted_prompt` may see a gold edit.

`compact` suits a model of a million parameters. `chat` has the parts of the paper's prompt (appendix D) in our own
words: think first, then SEARCH/REPLACE edits between solution tags.
"""

from collections.abc import Sequence

from openswerl.edits import Block
from openswerl.errors import UserError
from openswerl.records import Task

Prompt = str | list[dict[str, str]]

SYSTEM = (
    "You fix issues in software repositories. First reason step by step between <think> and </think>. Then give your "
    "edits between <solution> and </solution>. Use each of these four tags exactly once."
)
INSTRUCTIONS = """\
Find the cause of the issue in the files above and fix it. Write every edit as one SEARCH/REPLACE block in a code \
fence of its own, with these six parts:
1. the opening fence with the language
2. the file: ### path/of/the/file
3. the line <<<<<<< SEARCH, then whole consecutive lines of the file exactly as they stand
4. the line =======
5. the lines that take their place
6. the line >>>>>>> REPLACE, then the closing fence

For example:
```python
### shop/cart.py
<<<<<<< SEARCH
    return price
=======
    return price * count
>>>>>>> REPLACE
```
Indentation counts: keep every leading space of the lines you search for and of those you write."""


def repair_prompt(task: Task, form: str) -> Prompt:
    """Return the repair prompt in the form `compact` or `chat`. Raises UserError for another form."""
    return _ask(task, form, "")


def hinted_prompt(task: Task, gold_edit: Sequence[Block], form: str) -> Prompt:
    """Return the SFT synthesis prompt: the same question with the gold edit as a hint (paper appendix C)."""
    return _ask(task, form, "".join(_hint(block) for block in gold_edit))


def _hint(block: Block) -> str:
    return f"Hint: in {block.path} replace\n{block.search}\nby\n{block.replace}\n"


def _ask(task: Task, form: str, hint: str) -> Prompt:
    files = "".join(f"### {file.path}\n{_ended(file.content)}" for file in task.files)
    if form == "compact":
        return f"Issue: {task.problem_statement}\n{files}{hint}Answer:\n"
    if form == "chat":
        issue = f"--- BEGIN ISSUE ---\n{task.problem_statement}\n--- END ISSUE ---"
        user = f"{issue}\n\nThe relevant files:\n```\n{files}```\n\n{hint}{INSTRUCTIONS}"
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}]
    raise UserError(f"model.prompt={form} is unknown: choose compact or chat")


def _ended(content: str) -> str:
    return content if content.endswith("\n") or not content else content + "\n"
