"""Errors that a user can act on."""

import re

SAID = re.compile(r"^(?!srun:)\w+: error(?: in process \d+)?: .*$", re.M)
"""A line in which a stage, or our launcher, says an error; srun's are of the same form."""


class UserError(Exception):
    """What is wrong, where, and what to do, in one line; scripts print it and exit with 1."""


def last_line(text: str) -> str:
    """Return the last line of what a program said, which is where most tell why they failed; "no message" if none."""
    return (text.strip().splitlines() or ["no message"])[-1]
