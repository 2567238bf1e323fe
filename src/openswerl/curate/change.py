"""A pull request as the filters see it: its diff is taken apart once, and only if a filter asks."""

from functools import cached_property

from openswerl.curate.hunks import FileDiff, Hunk, parse_diff
from openswerl.records import PullRequest


class Change:
    """A pull request with its diff in parts."""

    def __init__(self, pull: PullRequest) -> None:
        self.pull = pull

    @cached_property
    def files(self) -> list[FileDiff]:
        """The files of the oracle diff."""
        return parse_diff(self.pull.oracle_diff)

    @cached_property
    def hunks(self) -> list[Hunk]:
        """The hunks of all files."""
        return [hunk for file in self.files for hunk in file.hunks]

    @cached_property
    def statement(self) -> str:
        """The linked issues' texts; the pull request's own if it links none."""
        texts = [f"{issue.title}\n\n{issue.body}" for issue in self.pull.issues]
        return "\n\n".join(texts or [f"{self.pull.title}\n\n{self.pull.body}"])
