"""The pull requests that matter: a regression, an issue about its symptom, and the fix."""

import random

from openswerl.laptop.bugs import Bug, symptom, untidy
from openswerl.laptop.functions import Function
from openswerl.laptop.issues import write_double_issue, write_issue
from openswerl.laptop.repository import IssuePlan, PullPlan, Repository
from openswerl.laptop.tasks import pick_bug
from openswerl.laptop.testfiles import Checks, test_file, test_path, write_checks

DOUBLE = 0.05
SQUASHED = 0.15
MOVED = 0.15
KEYWORDS = [
    "Fixes #{n}",
    "Closes #{n}.",
    "This resolves #{n}",
    "fixes: #{n}",
    "Fix #{n} by restoring the old behaviour",
]
Place = tuple[str, Function, Bug]


def fix_something(repository: Repository, *, with_tests: bool, with_issue: bool = True) -> PullPlan:
    """Break one function (or two alike), let a user report it, and merge the fix."""
    places = _break(repository, with_tests)
    issue = _report(repository, places) if with_issue else None
    author, number = repository.someone(), repository.next_number()
    merge_base = repository.tip
    if repository.rng.random() < MOVED:
        _unrelated_push(repository)
    base = repository.tip
    opened_at = repository.tick()
    head, changes, checks = _branch(repository, places, number, author, merge_base, with_tests)
    merged = merge(repository, head, changes, number, author)
    names = " and ".join(function.name for _, function, _ in places)
    body = repository.rng.choice(KEYWORDS).format(n=issue.number) if issue else "Noticed while reading the code."
    plan = PullPlan(
        number,
        f"Fix {names}",
        body,
        author,
        "fix",
        "main",
        base,
        merge_base,
        head,
        merged,
        opened_at,
        repository.tick(),
        len(changes),
        issue,
        tuple(checks),
    )
    repository.pulls.append(plan)
    return plan


def _break(repository: Repository, observable: bool) -> list[Place]:
    """Push a regression to main; `observable`: it must show in calls that do not raise."""
    places = _choose_places(repository, observable)
    changes: dict[str, str | None] = {}
    for path, function, bug in places:
        repository.modules[path] = repository.modules[path].with_text(function.name, bug.source)
        changes[path] = repository.modules[path].content
    repository.push(f"Simplify {' and '.join(function.name for _, function, _ in places)}", changes)
    return places


def _choose_places(repository: Repository, observable: bool) -> list[Place]:
    rng = repository.rng
    candidates = [(path, f) for path, module in repository.modules.items() for f in module.functions]
    path, function = rng.choice(candidates)
    bug = pick_bug(rng, function)
    if bug is None or (observable and write_checks(rng, function, "probe").passes(bug.source)):
        return _choose_places(repository, observable)
    places = [(path, function, bug)]
    if rng.random() < DOUBLE and not bug.names and not observable:
        others = [(p, f) for p, f in candidates if p != path]
        rng.shuffle(others)
        twins = ((p, f, pick_bug(rng, f, bug.kind)) for p, f in others)
        twin = next(((p, f, b) for p, f, b in twins if b is not None), None)
        places += [twin] if twin else []
    return places


def revealing_checks(rng: random.Random, function: Function, bug: Bug, test: str) -> Checks:
    """Return checks that the bug fails: the tests of a fix must show it."""
    while (checks := write_checks(rng, function, test)).passes(bug.source):
        pass
    return checks


def _report(repository: Repository, places: list[Place]) -> IssuePlan:
    path, function, bug = places[0]
    seen = symptom(bug, repository.rng)
    if len(places) == 1:
        return repository.open_issue(*write_issue(repository.rng, path, function.name, seen))
    where = [(p, f.name) for p, f, _ in places]
    return repository.open_issue(*write_double_issue(repository.rng, where, seen))


def _unrelated_push(repository: Repository) -> None:
    """Main moves on after the branch point, so the base is not the merge base."""
    text = f"# {repository.name}\n\nSmall tools for {repository.package}. Release {repository.number}.\n"
    repository.push("Update the readme", {"README.md": text})


def _branch(
    repository: Repository,
    places: list[Place],
    number: int,
    author: str,
    merge_base: int,
    with_tests: bool,
) -> tuple[int, dict[str, str | None], list[Checks]]:
    """Commit the fix on a branch; returns its head, the changed files and the tests that came with it."""
    changes: dict[str, str | None] = {}
    checks: list[Checks] = []
    for path, function, bug in places:
        text = untidy(bug.source, function.source, number) if repository.untidy else function.source
        module = repository.modules[path] = repository.modules[path].with_text(function.name, text)
        changes[path] = module.content
        if with_tests:
            check = revealing_checks(repository.rng, function, bug, f"test_{function.name}_{number}")
            repository.checks[path] = [*repository.checks[path], check]
            changes[test_path(module)] = test_file(module, repository.checks[path])
            checks.append(check)
    ref = f"refs/pull/{number}/head"
    head = merge_base
    for i, path in enumerate(sorted(changes)):
        message = f"Fix {path}" if i == 0 else f"Also change {path}"
        head = repository.commit(message, {path: changes[path]}, author=author, parents=(head,), ref=ref)
    return head, changes, checks


def merge(repository: Repository, head: int, changes: dict[str, str | None], number: int, author: str) -> int:
    """Merge into main with a merge commit, or squash, which leaves the head in refs/pull alone; returns the mark."""
    main = "refs/heads/main"
    if repository.rng.random() < SQUASHED:
        message = f"Fix (#{number})"
        return repository.commit(message, changes, author=author, parents=(repository.tip,), ref=main)
    message = f"Merge pull request #{number} from {author}/patch"
    return repository.commit(message, changes, author=author, parents=(repository.tip, head), ref=main)
