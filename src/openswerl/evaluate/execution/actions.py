"""What can be run on the tree of an instance, with or without a patch."""

from dataclasses import dataclass

from openswerl.evaluate.views import GoldView


@dataclass(frozen=True)
class Grading:
    """The row's own `eval_script`, hidden tests included. Only grading makes one."""

    gold: GoldView


@dataclass(frozen=True)
class Suite:
    """Test files of the base tree, run by the repository's own test command (regression tests)."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """One Python program, run in the root of the tree (a reproduction test)."""

    source: str


Action = Grading | Suite | Script
