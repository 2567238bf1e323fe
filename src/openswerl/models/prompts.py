"""The prompts of the graph. They take a `Task`, which holds no gold data; only `hinted_prompt` may see a gold edit.

`compact` suits a model of a million parameters. `chat` has the parts of the paper's prompt (appendix D) in our own
words: think first, then the answer between solution tags. The answer is SEARCH/REPLACE edits, as in the paper, or one
unified diff, for the rewards that read a patch.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig

from openswerl.edits import Block
from openswerl.errors import UserError
from openswerl.records import Instance, Task
from openswerl.reward.registry import answer_of

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

UNIDIFF_INSTRUCTIONS = """\
Find the cause of the issue in the files above and fix it. Write the whole change as one unified diff in a code fence, \
as `git diff` prints it:
1. for each file: diff --git a/path b/path, then --- a/path, then +++ b/path
2. for each place: @@ -old line,count +new line,count @@
3. the lines of that place: a space before a line that stays, - before one that goes, + before one that comes

For example:
```diff
diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,3 +1,3 @@
 import cards
 def total(price, count):
-    return price
+    return price * count
```
Indentation counts: after its first column a line is exactly as in the file. Counts must be right."""

# By form of answer: what the chat prompt asks for, and the last line of the compact one.
ASKED = {"search_replace": (INSTRUCTIONS, "Answer:"), "unidiff": (UNIDIFF_INSTRUCTIONS, "Patch:")}


def repair_prompt(task: Task, form: str, answer: str = "search_replace") -> Prompt:
    """Return the repair prompt in the form `compact` or `chat` for an `answer` of search_replace or unidiff.

    Raises UserError for another form or answer.
    """
    return _ask(task, form, answer, "")


def prompt_of(instance: Instance, cfg: DictConfig) -> Prompt:
    """Return the prompt that the policy is trained and evaluated on, by `cfg.model` and `cfg.prompt`."""
    return repair_prompt(instance.task, cfg.model.prompt, cfg.prompt.answer)


def digest_of(prompt: Prompt) -> str:
    """Return the identity of a prompt: its sha256 in hexadecimal."""
    return hashlib.sha256(json.dumps(prompt, sort_keys=True).encode()).hexdigest()


def hinted_prompt(task: Task, gold_edit: Sequence[Block], form: str, answer: str = "search_replace") -> Prompt:
    """Return the SFT synthesis prompt: the same question with the gold edit as a hint (paper appendix C)."""
    return _ask(task, form, answer, "".join(_hint(block) for block in gold_edit))


def check_fit(prompt: Mapping[str, Any], reward_kind: str) -> None:
    """Raise UserError unless the config group `prompt` asks for the form of answer that the reward reads."""
    read = answer_of(reward_kind)
    if prompt["answer"] != read:
        raise UserError(
            f"reward.kind={reward_kind} reads {read} answers, but prompt={prompt['name']} asks for {prompt['answer']}; "
            f"choose prompt={read} or another reward"
        )


def _hint(block: Block) -> str:
    return f"Hint: in {block.path} replace\n{block.search}\nby\n{block.replace}\n"


def _ask(task: Task, form: str, answer: str, hint: str) -> Prompt:
    if answer not in ASKED:
        raise UserError(f"prompt.answer={answer} is unknown: choose {' or '.join(ASKED)}")
    instructions, last = ASKED[answer]
    files = "".join(f"### {file.path}\n{_ended(file.content)}" for file in task.files)
    compact = f"{files}{hint}{last}"
    return frame(task, form, compact, f"The relevant files:\n```\n{files}```\n\n{hint}{instructions}", SYSTEM)


def frame(task: Task, form: str, compact: str, chat: str, system: str) -> Prompt:
    """Return a question about an issue: its text, then what the form wants. Raises UserError for another form."""
    if form == "compact":
        return f"Issue: {task.problem_statement}\n{compact}\n"
    if form == "chat":
        issue = f"--- BEGIN ISSUE ---\n{task.problem_statement}\n--- END ISSUE ---"
        return [{"role": "system", "content": system}, {"role": "user", "content": f"{issue}\n\n{chat}"}]
    raise UserError(f"model.prompt={form} is unknown: choose compact or chat")


def plain_prompt(question: str, form: str) -> Prompt:
    """Return a question that is about no repository, as it stands. Raises UserError for another form."""
    if form == "compact":
        return f"{question}\n"
    if form == "chat":
        return [{"role": "user", "content": question}]
    raise UserError(f"model.prompt={form} is unknown: choose compact or chat")


def _ended(content: str) -> str:
    return content if content.endswith("\n") or not content else content + "\n"
