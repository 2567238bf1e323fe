"""What can be wrong with a request, and what is to be done about it."""

from typing import NamedTuple


class Problem(NamedTuple):
    """A fault code of `Completion.fault`, and one line for people: what happened, where, what to do.

    `passing`: another attempt may succeed, after `wait_s` if the server says so. `fatal`: every other request would
    fail alike. `limited`: the server wants fewer requests, so that all wait.
    """

    code: str
    message: str
    passing: bool = False
    fatal: bool = False
    wait_s: float | None = None
    limited: bool = False


class Faulty(Exception):
    """A request that has a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem
