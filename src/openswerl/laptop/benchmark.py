"""The mini benchmark: held-out fixes as SWE-bench rows. Laptop scale; never a SWE-bench score."""

import json
from collections.abc import Sequence
from typing import Any

from openswerl.laptop.archive import Stored, timestamp
from openswerl.laptop.history import run_git
from openswerl.laptop.issues import statement
from openswerl.laptop.repository import PullPlan
from openswerl.laptop.testfiles import Checks, test_path

# As the official rows of several repositories; tracebacks and rewritten assertions cost more than the tests.
PYTEST = "--no-header -rA --tb=no --assert=plain -p no:cacheprovider"


def benchmark_rows(stored: Sequence[Stored], split: str) -> list[dict[str, Any]]:
    """Return one row per fix, the repositories taking turns, so that a prefix holds all of them."""
    per_repository = [
        [_row(one, pull, split) for pull in one.repository.pulls if pull.kind == "fix" and pull.checks]
        for one in stored
    ]
    most = max(map(len, per_repository))
    return [rows[i] for i in range(most) for rows in per_repository if i < len(rows)]


def _row(stored: Stored, pull: PullPlan, split: str) -> dict[str, Any]:
    assert pull.issue is not None
    repository = stored.repository
    base, head = stored.shas[pull.merge_base], stored.shas[pull.head]
    (check,) = pull.checks
    test_patch = _diff(stored, base, head, ["tests"])
    fail_to_pass, pass_to_pass, tests = _test_names(stored, pull, check)
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
        "eval_script": _eval_script(base, tests, test_patch),
        "log_parser": "parse_log_pytest",
        "eval_type": "pass_and_fail",
        "split": split,
    }


def _eval_script(base: str, tests: str, test_patch: str) -> str:
    """The official form: reset the test file, apply the test patch, run between the markers, reset again."""
    reset = f"git checkout {base} {tests}"
    return (
        f"#!/bin/bash\nset -uxo pipefail\ncd /testbed\n{reset}\n"
        f"git apply -v - <<'END_OF_TEST_PATCH'\n{test_patch}END_OF_TEST_PATCH\n"
        f": '>>>>> Start Test Output'\npython -m pytest {PYTEST} {tests}\n: '>>>>> End Test Output'\n{reset}\n"
    )


def _diff(stored: Stored, base: str, head: str, paths: list[str]) -> str:
    options = ["--no-color", "--no-ext-diff", "--no-renames", "--full-index"]
    return run_git(["--git-dir", str(stored.folder), "diff", *options, base, head, "--", *paths]).decode()


def _test_names(stored: Stored, pull: PullPlan, check: Checks) -> tuple[list[str], list[str], str]:
    """Return FAIL_TO_PASS, PASS_TO_PASS and the test file, by running every check on the buggy and the fixed module."""
    repository = stored.repository
    path = next(p for p, checks in repository.checks.items() if check in checks)
    tests = test_path(repository.modules[path])
    before = _module_at(stored, pull.merge_base, path)
    known = repository.checks[path]
    shown = known[: known.index(check) + 1]
    failing = [one for one in shown if not one.passes(before)]
    passing = [one for one in shown if one.passes(before)]
    return [f"{tests}::{one.test}" for one in failing], [f"{tests}::{one.test}" for one in passing], tests


def _module_at(stored: Stored, mark: int, path: str) -> str:
    return run_git(["--git-dir", str(stored.folder), "show", f"{stored.shas[mark]}:{path}"]).decode()
