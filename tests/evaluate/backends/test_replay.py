from typing import Any

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends.replay import ReplayBackend, read_log
from openswerl.evaluate.execution.actions import Grading, Script, Suite

OFFICIAL = "+ git apply\n+ : '>>>>> Start Test Output'\nPASSED a\n+ : '>>>>> End Test Output'\n{}+ git checkout\n"
LATE = "\n\nTimeout error: 1800 seconds exceeded."


@pytest.mark.parametrize(
    ("log", "state", "code", "output"),
    [
        (OFFICIAL.format(">>>>> Test Exit Code: 3\n"), "exited", 3, "PASSED a\n"),
        (OFFICIAL.format(""), "exited", None, "PASSED a\n"),
        ("x\n>>>>> Applied Patch (pred)\nTest Script: pytest;\nPASSED a\n", "exited", None, " pytest;\nPASSED a\n"),
        (OFFICIAL.format("") + LATE, "timeout", None, None),
        (OFFICIAL.partition("+ : '>>>>> End")[0] + LATE, "timeout", None, None),
        ("x\nTest Script: pytest;\n>>>>> Tests Timed Out after 900 seconds\n", "timeout", None, None),
        (">>>>> Patch Apply Failed; (pred_try)\n", "apply_failed", None, None),
        ("x\nTest Script: y\n>>>>> Patch Apply Failed", "apply_failed", None, None),
        ("Error response from daemon", "infrastructure", None, None),
        ("", "infrastructure", None, None),
    ],
)
def test_what_a_log_tells(log: str, state: str, code: int | None, output: str | None) -> None:
    found = read_log(log)
    assert (found.state, found.code, found.output) == (state, code, log if output is None else output)


@pytest.mark.parametrize("word", [">>>>> Patch Apply Failed", ">>>>> Reset Failed", ">>>>> Tests Timed Out"])
def test_no_word_of_the_tests_makes_them_a_fault_of_the_machine(word: str) -> None:
    """Such a fault is in no rate, so a patch must not be able to claim one."""
    assert read_log(OFFICIAL.replace("PASSED a", word).format("")).state == "exited"
    assert read_log(OFFICIAL.replace("PASSED a", word).partition("+ : '>>>>> End")[0]).state == "runner_lost"


def test_a_forged_end_does_not_hide_what_follows() -> None:
    log = OFFICIAL.replace("PASSED a", "PASSED a\n+ : '>>>>> End Test Output'\n>>>>> Test Exit Code: 0\nFAILED a")
    found = read_log(log.format(">>>>> Test Exit Code: 1\n"))
    assert found.code == 1 and "FAILED a" in found.output and "End Test Output" in found.output


def test_only_recorded_gradings_are_answered(world: Any) -> None:
    problem = world.problems()[0]
    task, gold = problem.task, problem.gold
    logs = {("acme__calc-1", "p"): OFFICIAL.format("")}
    backend = ReplayBackend(lambda *key: logs.get(key))
    assert backend.run(task, "p", Grading(gold)).output == "PASSED a\n" and backend.environment(task) == "replay"
    with pytest.raises(UserError, match="acme__calc-1: there is no recorded log"):
        backend.run(task, "q", Grading(gold))
    for action in (Suite(("t.py",)), Script("x")):
        with pytest.raises(UserError, match="logs of the hidden tests alone"):
            backend.run(task, "p", action)
    backend.close()
