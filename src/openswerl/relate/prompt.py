"""Ask a model for relevant unchanged files: pull request, changed paths and repository tree (paper 2).

The paper prints no prompt; this wording is ours. A query has no patch to show. That the pull request's own description
may tell the fix does no harm: all that reaches the policy is the content of the files that are chosen.
"""

from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.models.prompts import Prompt
from openswerl.relate.answers import CLOSE, OPEN
from openswerl.relate.languages import OF_SUFFIX, extension, is_test, same_language
from openswerl.relate.query import Query
from openswerl.relate.signals import nearness
from openswerl.relate.tree import Tree

SYSTEM = "You know how the files of a software repository depend on each other."
QUESTION = """\
Below are a pull request, the files that it changes, and {shown} files of the repository. Name up to {count} unchanged \
files that a developer should read to make this change: what the changed files use, what uses them, what follows the \
same pattern. Write whole paths as they stand in the list, the most helpful first, one on each line, between {open} \
and {close}, and nothing else."""


def related_prompt(query: Query, listing: list[str], total: int, cfg: DictConfig) -> Prompt:
    """Return the prompt in the form of `cfg.llm.model.prompt`. Raises UserError for an unknown form."""
    shown = f"the {len(listing)}" if len(listing) == total else f"{len(listing)} of the {total}"
    question = QUESTION.format(shown=shown, count=cfg.max_files, open=OPEN, close=CLOSE)
    text = _cut(query.text, cfg.llm.max_description_bytes)
    sections = {"Pull request": text, "Changed files": "\n".join(query.changed), "Repository": "\n".join(listing)}
    body = "\n\n".join(f"{name}:\n{content}" for name, content in sections.items())
    if cfg.llm.model.prompt == "compact":
        return f"{question}\n\n{body}\n\nAnswer:\n"
    if cfg.llm.model.prompt == "chat":
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"{question}\n\n{body}"}]
    raise UserError(f"relate.llm.model.prompt={cfg.llm.model.prompt} is unknown: choose compact or chat")


def listing(query: Query, tree: Tree, cfg: DictConfig) -> tuple[list[str], int]:
    """Return the unchanged paths to list, in order of path, and how many there are in all.

    What passes `max_tree_bytes` is pruned: first files of no known language, then of other languages than the changed
    ones', then those far from the changed files. Tests are not listed unless `include_tests`.
    """
    paths = [
        path
        for path in tree.blobs
        if path not in query.changed and "\n" not in path and (cfg.include_tests or not is_test(path))
    ]
    wanted = {suffix for path in query.changed for suffix in same_language(path)}

    def order(path: str) -> tuple[bool, bool, float, str]:
        near = max(nearness(path, other) for other in query.changed)
        return extension(path) not in OF_SUFFIX, extension(path) not in wanted, -near, path

    kept, room = [], cfg.llm.max_tree_bytes
    for path in sorted(paths, key=order):
        room -= len(path.encode()) + 1
        if room < 0:
            break
        kept.append(path)
    return sorted(kept), len(paths)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
