"""What SWE-bench knows of a repository at a version beside its rows: how tests run, and what has to be installed.

Rows of the v5 form carry their test command inside `eval_script`; rows of the older form do not. The table is
specs.yaml; its facts are those of the tables that swebench had before version 5.
"""

import functools
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion, Version

from openswerl.errors import UserError

TABLE = Path(__file__).with_name("specs.yaml")
LISTS = ("packages", "requirements", "pre_install", "setup")


@dataclass(frozen=True)
class Spec:
    """One repository at one version.

    `test_command` takes test files (or, with `labels`, the dotted names of Django's runner). `python` is major.minor,
    `packages` pip requirements that are installed as they are, `requirements` files of the tree that name more,
    `pre_install` edits of the tree before `install`, `setup` shell lines before the tests, `reinstall` what makes a
    patch take effect where an editable install does not, "" elsewhere.
    """

    test_command: str
    log_parser: str
    python: str
    packages: tuple[str, ...] = ()
    install: str = ""
    pre_install: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    reinstall: str = ""
    labels: bool = False

    def command(self, files: Sequence[str]) -> str:
        """Return the shell line that runs test files, given as paths below the root of the repository."""
        names = [_label(path) for path in files] if self.labels else files
        return f"{self.test_command} {shlex.join(names)}".strip()


def find_spec(repo: str, version: str) -> Spec | None:
    """Return the facts of a repository ("owner/name") at a version, None if the table has none, or it is no version."""
    facts, number = _table().get(repo), _number(version)
    if facts is None or number is None:
        return None
    merged: dict[str, Any] = {key: value for key, value in facts.items() if key != "since"}
    for first, changes in facts.get("since", {}).items():
        if number >= Version(first):
            merged |= changes
    lists = {key: tuple(merged[key]) for key in LISTS if key in merged}
    return Spec(**{**merged, **lists})


def spec_of(repo: str, version: str) -> Spec:
    """Return the facts of a repository at a version. Raises UserError if the table has none."""
    found = find_spec(repo, version)
    if found is None:
        raise UserError(f"{repo} {version} is not in {TABLE.name}: add its test command, or use rows of the v5 form")
    return found


@functools.cache
def known_parsers() -> frozenset[str]:
    """Return the names of swebench's log parsers that the table uses."""
    return frozenset(facts["log_parser"] for facts in _table().values())


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return table


def _number(version: str) -> Version | None:
    try:
        return Version(version)
    except InvalidVersion:
        return None


def _label(path: str) -> str:
    return path.removeprefix("tests/").removesuffix(".py").replace("/", ".")
