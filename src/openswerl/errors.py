"""Errors that a user can act on."""


class UserError(Exception):
    """What is wrong, where, and what to do, in one line; scripts print it and exit with 1."""
