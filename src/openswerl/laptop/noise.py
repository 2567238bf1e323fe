"""Merged pull requests that curation must tell from bug fixes."""

import re
from collections.abc import Callable

from openswerl.laptop.fixes import fix_something, merge
from openswerl.laptop.modules import write_module
from openswerl.laptop.repository import PullPlan, Repository

BOT = "dependabot[bot]"


def _pull(
    repository: Repository, kind: str, title: str, body: str, changes: dict[str, str | None], author: str | None = None
) -> None:
    """Open and merge a pull request without an issue."""
    number, author = repository.next_number(), author or repository.someone()
    base, opened_at = repository.tip, repository.tick()
    ref = f"refs/pull/{number}/head"
    head = repository.commit(title, changes, author=author, parents=(base,), ref=ref)
    merged = merge(repository, head, changes, number, author)
    at = repository.tick()
    plan = PullPlan(number, title, body, author, kind, "main", base, base, head, merged, opened_at, at)
    repository.pulls.append(plan)


def bump(repository: Repository) -> None:
    """A dependency bot."""
    minor = repository.number
    changes: dict[str, str | None] = {
        "pyproject.toml": f'[project]\nname = "{repository.package}"\nversion = "0.1.0"\n'
        f'dependencies = ["attrs==22.{minor}.0"]\n',
        "poetry.lock": f'[[package]]\nname = "attrs"\nversion = "22.{minor}.0"\n',
    }
    _pull(repository, "bot", f"Bump attrs to 22.{minor}.0", "Bumps attrs.", changes, BOT)


def lock(repository: Repository) -> None:
    """A person who changes a generated file alone."""
    text = f'[[package]]\nname = "attrs"\nversion = "22.1.{repository.number}"\n'
    _pull(repository, "lock", "Refresh the lock file", "", {"poetry.lock": text})


def docs(repository: Repository) -> None:
    """Documentation only."""
    text = f"# {repository.name}\n\nSmall tools for {repository.package}.\n\nSee the tests for examples.\n"
    _pull(
        repository,
        "docs",
        "Document where the examples are",
        "",
        {"README.md": f"{text}Edition {repository.number}.\n"},
    )


def feature(repository: Repository) -> None:
    """A new module."""
    path = f"{repository.package}/extra_{repository.number}.py"
    module = write_module(repository.rng, path, repository.templates, held=repository.held)
    _pull(repository, "feature", f"Add {path}", "", {path: module.content})


def rename(repository: Repository) -> None:
    """A module that nothing imports moves to a new path, and its tests follow it."""
    imported = " ".join(module.header for module in repository.modules.values())
    free = [p for p, m in repository.modules.items() if m.functions and f"{p[:-3].replace('/', '.')} " not in imported]
    if not free:
        return docs(repository)
    old = repository.rng.choice(free)
    text = repository.modules[old].content
    new = re.sub(r"\.py$", f"_{repository.number}.py", old)
    _pull(repository, "rename", f"Rename {old}", "", {old: None, new: text})
    back: dict[str, str | None] = {new: None, old: text}
    repository.push(f"Undo the rename of {old}", back)
    return None


def unreported(repository: Repository) -> None:
    """A true fix that no issue speaks of."""
    fix_something(repository, with_tests=False, with_issue=False)


def revert(repository: Repository) -> None:
    """A fix is taken back, and put in again by a push."""
    plan = fix_something(repository, with_tests=False)
    commits = {commit.mark: commit for commit in repository.commits}
    fixed = {path: text for path, text in commits[plan.merged].changes.items()}
    broken = {path: _text_at(repository, plan.merge_base, path) for path in fixed}
    _pull(repository, "revert", f'Revert "{plan.title}"', f"Reverts #{plan.number}", broken)
    repository.push(f"Reapply {plan.title}", fixed)


def backport(repository: Repository) -> None:
    """The same fix on a maintenance branch: a near-duplicate with the same issue."""
    plan = fix_something(repository, with_tests=False)
    commits = {commit.mark: commit for commit in repository.commits}
    number, author = repository.next_number(), repository.someone()
    changes = commits[plan.merged].changes
    base, opened_at = plan.merge_base, repository.tick()
    ref = f"refs/pull/{number}/head"
    head = repository.commit(f"Backport {plan.title}", changes, author=author, parents=(base,), ref=ref)
    stable = "refs/heads/stable"
    merged = repository.commit(f"Merge #{number}", changes, author=author, parents=(base, head), ref=stable)
    title, body = f"{plan.title} (backport #{plan.number})", plan.body
    at = repository.tick()
    backported = PullPlan(
        number, title, body, author, "backport", "stable", base, base, head, merged, opened_at, at, 1, plan.issue
    )
    repository.pulls.append(backported)


def _text_at(repository: Repository, mark: int, path: str) -> str | None:
    """The text of a path at a commit on main, found through first parents."""
    commits = {commit.mark: commit for commit in repository.commits}
    while path not in commits[mark].changes:
        mark = commits[mark].parents[0]
    return commits[mark].changes[path]


NOISE: list[Callable[[Repository], None]] = [bump, lock, docs, feature, rename, unreported, revert, backport]
