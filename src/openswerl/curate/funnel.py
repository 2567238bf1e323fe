"""Count what every step drops, and why; nothing leaves without a line."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openswerl.files import write_jsonl, write_text
from openswerl.records import PullRequest


class Funnel:
    """The pull requests that are left, and the record of those that are not."""

    def __init__(self, pulls: Sequence[PullRequest]) -> None:
        self.pulls = list(pulls)
        self.rows: list[tuple[str, str, int, int]] = [("crawl", "", 0, len(self.pulls))]
        self.dropped: list[dict[str, Any]] = []

    def apply(self, step: str, reasons: Sequence[str | None]) -> None:
        """Drop the pull requests with a reason; one row a reason, or one that says that nothing was dropped."""
        pairs = list(zip(self.pulls, reasons, strict=True))
        self.dropped += [
            {"repo": pull.repo, "number": pull.number, "step": step, "reason": reason}
            for pull, reason in pairs
            if reason
        ]
        left = len(self.pulls)
        for reason, count in sorted(Counter(reason for reason in reasons if reason).items()) or [("", 0)]:
            left -= count
            self.rows.append((step, reason, count, left))
        self.pulls = [pull for pull, reason in pairs if not reason]

    def write(self, out: Path) -> None:
        """Write funnel.csv (step, reason, dropped, left) and dropped.jsonl."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(("step", "reason", "dropped", "left"))
        table.writerows(self.rows)
        write_text(out / "funnel.csv", text.getvalue())
        write_jsonl(out / "dropped.jsonl", self.dropped)
