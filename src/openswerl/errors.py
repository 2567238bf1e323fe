"""Errors that a user can act on."""


class UserError(Exception):
    """What is wrong, where, and what to do, in one line; scripts print it and exit with 1."""


def last_line(text: str) -> str:
    """Return the last line of what a program said, which is where most tell why they failed; "no message" if none."""
    return (text.strip().splitlines() or ["no message"])[-1]
