"""The `eval_script` of rows without one: hidden tests put in place, run between the harness's markers, taken away."""

import hashlib
import shlex
from typing import Any, NamedTuple

from openswerl.curate.hunks import parse_diff
from openswerl.evaluate.harness.specs import Spec

NO_TESTS = (".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml")
START, END = ": '>>>>> Start Test Output'", ": '>>>>> End Test Output'"


class Touched(NamedTuple):
    """Paths that a test patch touches: those of the base, those that it adds, and the test files that it leaves."""

    base: list[str]
    added: list[str]
    tests: list[str]


def touched(test_patch: str) -> Touched:
    """Read the file headers of a git diff. A renamed file counts under its old name as base and its new as added."""
    found = Touched([], [], [])
    for file in parse_diff(test_patch):
        marks = {" ".join(line.split(" ")[:2]): line for line in file.header[1:]}
        old = marks.get("rename from", file.path).removeprefix("rename from ")
        new = marks.get("rename to", file.path).removeprefix("rename to ")
        if "new file" not in marks:
            found.base.append(old)
        if "new file" in marks or old != new:
            found.added.append(new)
        if "deleted file" not in marks and not new.endswith(NO_TESTS):
            found.tests.append(new)
    return found


def eval_script(row: dict[str, Any], spec: Spec) -> str:
    """Return the script of a row of the older form, to be run by bash in an image or a tree at /testbed.

    Test files are taken from HEAD, which holds the base in the images as in our own trees of one commit; the commit's
    name in the row is known in the former alone.
    """
    files = touched(row["test_patch"])
    reset = [_line("git checkout HEAD --", files.base), _line("rm -f --", files.added)]
    lines = ["#!/bin/bash", "set -uxo pipefail", "source /opt/miniconda3/bin/activate", "conda activate testbed"]
    lines += ["cd /testbed", *spec.setup, "git config --global --add safe.directory /testbed", spec.reinstall, *reset]
    if row["test_patch"]:
        lines.append(here_document("git apply -v -", row["test_patch"]))
    lines += [START, spec.command(files.tests), END, *reset]
    return "\n".join(line for line in lines if line) + "\n"


def here_document(command: str, text: str) -> str:
    """Return shell lines that give a command a text, closed by one newline, on its standard input, as it is."""
    mark = f"EOF_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    while f"\n{mark}\n" in f"\n{text}\n":
        mark += "_"
    return f"{command} <<'{mark}'\n{text.removesuffix(chr(10))}\n{mark}"


def _line(command: str, paths: list[str]) -> str:
    return f"{command} {shlex.join(paths)}" if paths else ""
