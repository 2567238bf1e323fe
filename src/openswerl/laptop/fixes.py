"""The pull requests that matter: a regression, an issue about its symptom, and the fix."""

import random

from openswerl.laptop.bugs import Bug, untidy
from openswerl.laptop.functions import Function
from openswerl.laptop.issues import Place
from openswerl.laptop.repository import PullPlan, Repository
from openswerl.laptop.tasks import pick_bug
from openswerl.laptop.testfiles import CheckFile, Checks, test_path, write_checks

DOUBLE = 0.3  # half of these find no bug of the same kind in another file
SQUASHED = 0.15
MOVED = 0.15
KEYWORDS = [
    "Fixes #{n}",
    "Closes #{n}.",
    "This resolves #{n}",
    "fixes: #{n}",
    "Fix #{n} by restoring the old behaviour",
]


def fix_something(repository: Repository, *, with_tests: bool, with_issue: bool = True) -> PullPlan:
    """Break one function (or two alike), let a user report it, and merge the fix."""
    places = _break(repository, with_tests)
    issue = repository.open_issue(places) if with_issue else None
    author, number = repository.someone(), repository.next_number()
    merge_base = repository.tip
    if repository.rng.random() < MOVED:
        _unrelated_push(repository)
    base = repository.tip
    opened_at = repository.tick()
    head, changes, tests = _branch(repository, places, number, author, merge_base, with_tests)
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
        tests,
        {(path, function.name): bug.source for path, function, bug in places},
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
    bug = _pick(rng, function, observable)
    if bug is None:
        return _choose_places(repository, observable)
    places = [(path, function, bug)]
    if rng.random() < DOUBLE and not bug.names:
        others = [(p, f) for p, f in candidates if p != path]
        rng.shuffle(others)
        twins = ((p, f, _pick(rng, f, observable, bug.kind)) for p, f in others)
        twin = next(((p, f, b) for p, f, b in twins if b is not None), None)
        places += [twin] if twin else []
    return places


def _pick(rng: random.Random, function: Function, observable: bool, kind: str | None = None) -> Bug | None:
    bug = pick_bug(rng, function, kind)
    hidden = bug and observable and write_checks(rng, function, "probe").passes(bug.source)
    return None if hidden else bug


def revealing_checks(rng: random.Random, function: Function, bug: Bug, test: str) -> Checks:
    """Return checks that the bug fails: the tests of a fix must show it."""
    while (checks := write_checks(rng, function, test)).passes(bug.source):
        pass
    return checks


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
) -> tuple[int, dict[str, str | None], tuple[CheckFile, ...]]:
    """Commit the fix on a branch; returns its head, the changed files and the tests that came with it."""
    changes: dict[str, str | None] = {}
    tests: list[CheckFile] = []
    for path, function, bug in places:
        text = untidy(bug.source, function.source, number) if repository.untidy else function.source
        module = repository.modules[path] = repository.modules[path].with_text(function.name, text)
        changes[path] = module.content
        if with_tests:
            check = revealing_checks(repository.rng, function, bug, f"test_{function.name}_{number}")
            tests.append(CheckFile(test_path(path, number), path, (check,)))
    changes |= {file.path: file.text for file in tests}
    ref = f"refs/pull/{number}/head"
    head = merge_base
    for i, path in enumerate(sorted(changes)):
        message = f"Fix {path}" if i == 0 else f"Also change {path}"
        head = repository.commit(message, {path: changes[path]}, author=author, parents=(head,), ref=ref)
    return head, changes, tuple(tests)


def merge(repository: Repository, head: int, changes: dict[str, str | None], number: int, author: str) -> int:
    """Merge into main with a merge commit, or squash, which leaves the head in refs/pull alone; returns the mark."""
    main = "refs/heads/main"
    if repository.rng.random() < SQUASHED:
        message = f"Fix (#{number})"
        return repository.commit(message, changes, author=author, parents=(repository.tip,), ref=main)
    message = f"Merge pull request #{number} from {author}/patch"
    return repository.commit(message, changes, author=author, parents=(repository.tip, head), ref=main)
