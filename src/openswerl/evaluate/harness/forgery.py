"""Signs in a test log that lines were printed by the code under test instead of the test runner.

The official parsers take every line of a certain form for a result, wherever it stands. Found here:

- a test that the log calls both passed and failed: the runner's own line is there too
- with pytest, tests that pass by lines outside the runner's own summary alone (before its header, after its last
  line, or in a run that never got to a summary): printed by the program, by an exit handler, before `os._exit`

Not found, because no log can tell: code under test that changes the runner in memory, or prints a whole summary and
ends the process. It runs in the same process as the tests.
"""

import re
from collections.abc import Mapping
from typing import Any

from openswerl.evaluate.harness.rows import TESTS, test_names

PYTEST = {
    "parse_log_pytest", "parse_log_pytest_options", "parse_log_pytest_v2", "parse_log_seaborn", "parse_log_matplotlib",
    "parse_log_astropy", "parse_log_scikit", "parse_log_sphinx", "parse_log_requests", "parse_log_pylint",
    "parse_log_flask", "parse_log_xarray",
}  # fmt: skip
COLOUR = re.compile(r"\x1b?\[\d+(;\d+)*m")
HEADER = re.compile(r"^=+ short test summary info =+$", re.MULTILINE)
LAST = re.compile(
    r"^(?:=+ )?\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)\b.* in \d.*$", re.MULTILINE
)
SYMPY_FILE = re.compile(r"^(?=\S+\.py\[\d+\])", re.MULTILINE)  # tests of different files may share a name
PASSED = re.compile(r"^PASSED (\S.*?)\s*$|^(\S.*?) \.\.\. ok\s*$|^(test_\S+) ok\s*(?:\[OK\])?\s*$", re.MULTILINE)
FAILED = re.compile(
    r"^FAILED (\S.*?)(?: - .*)?\s*$|^(\S.*?) \.\.\. FAIL\s*$|^(test_\S+) F\s*(?:\[FAIL\])?\s*$", re.MULTILINE
)


def is_forged(output: str, row: Mapping[str, Any]) -> bool:
    """Tell whether a log that resolves its row shows one of the signs."""
    plain = COLOUR.sub("", output)
    tests = {test for key in TESTS for test in test_names(row[key])}
    if any(_names(PASSED, part, tests) & _names(FAILED, part, tests) for part in SYMPY_FILE.split(plain)):
        return True
    return row["log_parser"] in PYTEST and not _resolves(runner_summary(plain), row)


def runner_summary(output: str) -> str:
    """Return the last summary of pytest in a log, "" if there is none that was finished."""
    headers = list(HEADER.finditer(output))
    after = output[headers[-1].end() :] if headers else ""
    last = LAST.search(after)
    return after[: last.start()] if last else ""


def _names(pattern: re.Pattern[str], text: str, tests: set[str]) -> set[str]:
    """Return the row's tests that lines of a form name; some of its ids end at the first space."""
    names = {name for match in pattern.finditer(text) for name in match.groups() if name}
    return {name for name in names if name in tests or name.split()[0] in tests}


def _resolves(output: str, row: Mapping[str, Any]) -> bool:
    from swebench.harness.constants import EvalType, ResolvedStatus
    from swebench.harness.grading import get_eval_tests_report, get_resolution_status
    from swebench.harness.log_parsers import PARSER_REGISTRY
    from swebench.harness.utils import make_test_spec

    spec = make_test_spec(dict(row))
    # some lists hold words that tests of pytest itself print, such as [100%]
    wanted = {"FAIL_TO_PASS": spec.FAIL_TO_PASS, "PASS_TO_PASS": spec.PASS_TO_PASS}
    tests = {name: [test for test in listed if "::" in test] for name, listed in wanted.items()}
    statuses = PARSER_REGISTRY[spec.log_parser](output, spec)
    report = get_eval_tests_report(statuses, tests, eval_type=EvalType(spec.eval_type))
    return bool(get_resolution_status(report) == ResolvedStatus.FULL.value)
