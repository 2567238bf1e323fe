"""The mini benchmark: held-out fixes as SWE-bench rows. Laptop scale; never a SWE-bench score."""

import json
from collections.abc import Sequence
from typing import Any

from openswerl.laptop.archive import Stored, timestamp
from openswerl.laptop.history import run_git
from openswerl.laptop.issues import statement
from openswerl.laptop.repository import PullPlan
from openswerl.laptop.testfiles import CheckFile, Checks

# As the official rows of several repositories; tracebacks and rewritten assertions cost more than the tests.
PYTEST = "--no-header -rA --tb=no --assert=plain -p no:cacheprovider"


def benchmark_rows(stored: Sequence[Stored], split: str) -> list[dict[str, Any]]:
    """Return one row per fix, the repositories taking turns, so that a prefix holds all of them."""
    per_repository = [
        [_row(one, pull, split) for pull in one.repository.pulls if pull.kind == "fix" and pull.tests] for one in stored
    ]
    most = max(map(len, per_repository))
    return [rows[i] for i in range(most) for rows in per_repository if i < len(rows)]


def _row(stored: Stored, pull: PullPlan, split: str) -> dict[str, Any]:
    assert pull.issue is not None
    repository = stored.repository
    base, head = stored.shas[pull.merge_base], stored.shas[pull.head]
    test_patch = _diff(stored, base, head, ["tests"])
    fail_to_pass, pass_to_pass = _test_names(stored, pull)
    return {
        "instance_id": f"{repository.name.replace('/', '__')}-{pull.number}",
        "repo": repository.name,
        "base_commit": base,
        "version": "1.0",
        "created_at": timestamp(pull.merged_at),
        "problem_statement": statement(pull.issue.title, pull.issue.body),
        "hints_text": "",
        "patch": _diff(stored, base, head, [":(exclude)tests"]),
        "test_patch": test_patch,
        "FAIL_TO_PASS": json.dumps(fail_to_pass),
        "PASS_TO_PASS": json.dumps(pass_to_pass),
        "image": "",
        "eval_script": _eval_script(stored, pull, test_patch),
        "log_parser": "parse_log_pytest",
        "eval_type": "pass_and_fail",
        "split": split,
    }


def _suite(stored: Stored, pull: PullPlan) -> list[CheckFile]:
    """The tests that a row runs: those of the fix, and those that every module has from the start."""
    return [*pull.tests, *stored.repository.tests]


def _eval_script(stored: Stored, pull: PullPlan, test_patch: str) -> str:
    """The official form: remove the tests of the fix, apply the test patch, run between the markers, remove again."""
    reset = "rm -f " + " ".join(file.path for file in pull.tests)
    tests = " ".join(file.path for file in _suite(stored, pull))
    return (
        f"#!/bin/bash\nset -uxo pipefail\ncd /testbed\n{reset}\n"
        f"git apply -v - <<'END_OF_TEST_PATCH'\n{test_patch}END_OF_TEST_PATCH\n"
        f": '>>>>> Start Test Output'\npython -m pytest {PYTEST} {tests}\n: '>>>>> End Test Output'\n{reset}\n"
    )


def _diff(stored: Stored, base: str, head: str, paths: list[str]) -> str:
    options = ["--no-color", "--no-ext-diff", "--no-renames", "--full-index"]
    return run_git(["--git-dir", str(stored.folder), "diff", *options, base, head, "--", *paths]).decode()


def _test_names(stored: Stored, pull: PullPlan) -> tuple[list[str], list[str]]:
    """Return FAIL_TO_PASS and PASS_TO_PASS, by running the checks of every broken function on the bug."""
    names: tuple[list[str], list[str]] = [], []
    for file in _suite(stored, pull):
        for check in file.checks:
            names[_passes_before(pull, file, check)].append(f"{file.path}::{check.test}")
    return names


def _passes_before(pull: PullPlan, file: CheckFile, check: Checks) -> bool:
    bug = pull.bugs.get((file.module, check.function))
    return bug is None or check.passes(bug)
