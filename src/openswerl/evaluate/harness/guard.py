"""Refuse patches that can forge a verdict: official grading reads what the tests print, so tests must stay ours.

What is refused: tests, conftest.py, the settings of test runners, files that Python runs at its start, modules that
would be imported in place of a standard one, and the scripts by which a repository runs its tests. Folders called
test, tests or testing are taken for tests, but for those that a repository ships as part of its library.
"""

import configparser
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

Reason = Literal["touches_tests", "touches_conftest", "touches_runner", "touches_startup", "shadows_module"]
FOLDERS = {"test", "tests", "testing"}
SETTINGS = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"}
STARTUP = {"sitecustomize.py", "usercustomize.py"}
RUNNER = {"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"}
RUNNER_SECTIONS = ("tool:pytest", "pytest", "aliases", "tox", "testenv", "options.entry_points")
LIBRARY = {
    "django/django": ("django/test/",),
    "sympy/sympy": ("sympy/testing/",),
    "sphinx-doc/sphinx": ("sphinx/testing/",),
}
RUN_BY = {
    "django/django": ("django/test/runner.py",),
    "sympy/sympy": ("bin/", "sympy/testing/runtests", "sympy/utilities/runtests"),
    "sphinx-doc/sphinx": ("sphinx/testing/fixtures.py",),
}
Texts = Mapping[str, str | None]


def refuse(old: Texts, new: Texts, repo: str = "") -> Reason | None:
    """Return why a change of texts (by path; None: no file) is refused, None if it may run.

    setup.cfg and pyproject.toml may change where they say nothing of running tests. `repo` is "owner/name".
    """
    for path in new:
        if new[path] == old.get(path) or _says_the_same(path, old.get(path), new[path], repo):
            continue
        if reason := refuse_path(path, repo, created=old.get(path) is None):
            return reason
    return None


def _says_the_same(path: str, old: str | None, new: str | None, repo: str) -> bool:
    """Tell whether a file that settings of test runners share with others keeps what is theirs."""
    shared = PurePosixPath(path).name in ("setup.cfg", "pyproject.toml") and not _folder_of_tests(path, repo)
    return shared and old is not None and _runner_part(path, old) == _runner_part(path, new)


def refuse_path(path: str, repo: str = "", *, created: bool = False) -> Reason | None:
    """Return why a change of this file is refused whatever it says, None if it may run."""
    name = PurePosixPath(path).name.lower()
    if name == "conftest.py":
        return "touches_conftest"
    if name in SETTINGS or path.startswith(RUN_BY.get(repo, ("\0",))):
        return "touches_runner"
    if name in STARTUP or name.endswith(".pth"):
        return "touches_startup"
    if name.startswith("test_") or name.endswith("_test.py") or name == "tests.py" or _folder_of_tests(path, repo):
        return "touches_tests"
    return "shadows_module" if created and shadows(path) else None


def touches_tests(changed: Iterable[str], created: Iterable[str] = (), repo: str = "") -> bool:
    """Tell whether a patch changes tests or what decides how they run, by its paths alone.

    `created` are the changed paths that the context did not show; one at the root that is named like a module of the
    standard library or of pytest would be imported in its place.
    """
    return any(refuse_path(path, repo) for path in changed) or any(map(shadows, created))


def shadows(path: str) -> bool:
    """Tell whether a file at this path would be imported in place of a standard module or a part of pytest."""
    name = next(iter(PurePosixPath(path).parts), "").partition(".")[0]
    return name in RUNNER or name in sys.stdlib_module_names


def _folder_of_tests(path: str, repo: str) -> bool:
    library = next((folder for folder in LIBRARY.get(repo, ()) if path.startswith(folder)), "")
    inner = PurePosixPath(path.removeprefix(library).lower())
    return bool(FOLDERS & set(inner.parts[:-1]))


def _runner_part(path: str, text: str | None) -> Any:
    """Return what a file of settings says of test runners; for one that cannot be read, something equal to nothing."""
    try:
        if path.endswith(".toml"):
            settings = tomllib.loads(text or "")
            tools, project = settings.get("tool", {}), settings.get("project", {})
            return [tools.get("pytest"), tools.get("tox"), project.get("entry-points"), settings.get("pytest")]
        parser = configparser.RawConfigParser()
        parser.read_string(text or "")
        return {name: dict(parser[name]) for name in parser.sections() if name.startswith(RUNNER_SECTIONS)}
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError):
        return object()
