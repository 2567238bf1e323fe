"""One repository's life: modules and tests, regressions, issues, and the pull requests that follow."""

import random
from dataclasses import dataclass, field

from openswerl.laptop import vocabulary as words
from openswerl.laptop.history import Commit
from openswerl.laptop.issues import Place, write_issue
from openswerl.laptop.licence import MIT
from openswerl.laptop.modules import Module, write_module, write_wrapper
from openswerl.laptop.templates import Template
from openswerl.laptop.testfiles import CheckFile, visible_tests

START = 1_672_617_600  # 2023-01-02T00:00:00Z
SPAN = 48 * 3600
MODULES = 8
WRAPPERS = 3


@dataclass(frozen=True)
class IssuePlan:
    """An issue as its author wrote it."""

    number: int
    title: str
    body: str
    author: str
    when: int


@dataclass(frozen=True)
class PullPlan:
    """A merged pull request; marks are of `history.Commit`. `tests` are the files that it brings, if any;
    `bugs` maps each broken (path, function name) to the source with the bug."""

    number: int
    title: str
    body: str
    author: str
    kind: str
    base_ref: str
    base: int
    merge_base: int
    head: int
    merged: int
    opened_at: int
    merged_at: int
    commits: int = 1
    issue: IssuePlan | None = None
    tests: tuple[CheckFile, ...] = ()
    bugs: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass
class Repository:
    """The state of a repository while its history is written."""

    name: str
    package: str
    rng: random.Random
    templates: list[Template]
    held: bool
    untidy: bool
    modules: dict[str, Module] = field(default_factory=dict)
    tests: list[CheckFile] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    pulls: list[PullPlan] = field(default_factory=list)
    issues: list[IssuePlan] = field(default_factory=list)
    refs: dict[str, int] = field(default_factory=dict)
    clock: int = START
    number: int = 0
    pace: int = 600

    def tick(self) -> int:
        """Let some time pass; returns the new time."""
        self.clock += self.rng.randint(self.pace // 2, self.pace * 3 // 2)
        return self.clock

    def next_number(self) -> int:
        """Return the next issue or pull request number."""
        self.number += self.rng.randint(1, 3)
        return self.number

    def someone(self) -> str:
        """Return a person."""
        return self.rng.choice(words.PEOPLE)

    @property
    def tip(self) -> int:
        """The mark of main."""
        return self.refs["refs/heads/main"]

    def commit(
        self, message: str, changes: dict[str, str | None], *, author: str, parents: tuple[int, ...], ref: str
    ) -> int:
        """Add a commit, move `ref` to it and return its mark."""
        mark = len(self.commits) + 1
        self.commits.append(Commit(mark, ref, parents, author, self.tick(), message, changes))
        self.refs[ref] = mark
        return mark

    def push(self, message: str, changes: dict[str, str | None]) -> int:
        """Commit straight to main."""
        parents = (self.tip,) if self.commits else ()
        return self.commit(message, changes, author=self.someone(), parents=parents, ref="refs/heads/main")

    def open_issue(self, places: list[Place]) -> IssuePlan:
        """Record a new issue about what is broken."""
        title, body, _ = write_issue(self.rng, places)
        issue = IssuePlan(self.next_number(), title, body, self.someone(), self.tick())
        self.issues.append(issue)
        return issue


def found(
    name: str, package: str, rng: random.Random, templates: list[Template], *, held: bool, untidy: bool, pulls: int
) -> Repository:
    """Start a repository: correct modules, wrappers, tests and the usual files in one commit."""
    repository = Repository(name, package, rng, templates, held, untidy, number=rng.randint(100, 700))
    repository.pace = SPAN // (pulls * 6 + 20)
    paths = [f"{package}/{module}.py" for module in rng.sample(words.MODULES, MODULES)]
    for i, path in enumerate(paths):
        if i < MODULES - WRAPPERS:
            module = write_module(rng, path, templates, held=held)
        else:
            module = write_wrapper(rng, path, repository.modules[paths[i - MODULES + WRAPPERS]], templates, held=held)
        repository.modules[path] = module
        if module.functions:
            repository.tests.append(visible_tests(rng, module))
    repository.push("Initial commit", first_files(repository))
    return repository


def first_files(repository: Repository) -> dict[str, str | None]:
    """Return every file of the first commit."""
    package = repository.package
    files: dict[str, str | None] = {
        f"{package}/__init__.py": "",
        "README.md": f"# {repository.name}\n\nSmall tools for {package}.\n",
        "LICENSE": MIT.format(holder=repository.name.partition("/")[0]),
        "pyproject.toml": f'[project]\nname = "{package}"\nversion = "0.1.0"\ndependencies = ["attrs==22.1.0"]\n',
        "poetry.lock": '[[package]]\nname = "attrs"\nversion = "22.1.0"\n',
    }
    for path, module in repository.modules.items():
        files[path] = module.content
    for tests in repository.tests:
        files[tests.path] = tests.text
    return files
