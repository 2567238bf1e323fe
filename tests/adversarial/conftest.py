"""How many hostile inputs each suite was given, printed at the end."""

from collections import Counter

import pytest

GIVEN: Counter[str] = Counter()


@pytest.fixture
def given() -> "Counter[str]":
    """Count inputs by what they were given to."""
    return GIVEN


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if GIVEN:
        told = ", ".join(f"{count:,} {name}" for name, count in sorted(GIVEN.items()))
        terminalreporter.write_line(f"hostile inputs: {told}")
