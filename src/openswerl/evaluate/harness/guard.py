"""Refuse patches that can forge a verdict: official grading reads what the tests print, so tests must stay ours."""

import sys
from collections.abc import Iterable
from pathlib import PurePosixPath

FOLDERS = {"test", "tests", "testing"}
FILES = {
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg",
    "pyproject.toml", "sitecustomize.py", "usercustomize.py",
}  # fmt: skip
RUNNER = {"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"}


def touches_tests(changed: Iterable[str], created: Iterable[str] = ()) -> bool:
    """Tell whether a patch changes tests or what decides how they run.

    `created` are the changed paths that the context did not show; one at the root that is named like a module of the
    standard library or of pytest would be imported in its place.
    """
    return any(_is_test(PurePosixPath(path.lower())) for path in changed) or any(map(shadows, created))


def _is_test(path: PurePosixPath) -> bool:
    named = path.name.startswith("test_") or path.name.endswith("_test.py")
    return named or path.name in FILES or path.suffix == ".pth" or bool(FOLDERS & set(path.parts[:-1]))


def shadows(path: str) -> bool:
    """Tell whether a file at this path would be imported in place of a standard module or a part of pytest."""
    name = PurePosixPath(path).parts[0].partition(".")[0]
    return name in RUNNER or name in sys.stdlib_module_names
