"""Fold events into the merged pull requests and the latest text of every issue. Folding order does not matter."""

from collections import Counter
from pathlib import Path
from typing import Any

from openswerl.crawl.events import Bad, Event, read_events
from openswerl.crawl.links import closing_references
from openswerl.crawl.shapes import IssueText, Pull
from openswerl.records import Issue

Key = tuple[str, int]


class Archive:
    """What the hour files say; keys are (repository id, number), since names change hands. No id: the name instead."""

    def __init__(self) -> None:
        self.merged: dict[Key, Event] = {}
        self.undecided: dict[Key, Event] = {}
        self.issues: dict[Key, Event] = {}
        self.pulls: set[Key] = set()
        self.names: dict[str, tuple[str, str]] = {}
        self.events: Counter[str] = Counter()
        self.bad: list[Bad] = []

    def add(self, event: Event) -> None:
        """Take in one event."""
        self.events[event.type] += 1
        name = event.repo.lower()
        repo = str(event.repo_id or name)
        self.names[name] = max(self.names.get(name, ("", "")), (event.created_at, repo))
        if event.type == "PullRequestEvent" and event.pull:
            self._add_pull((repo, event.pull.number), event, event.pull)
        elif event.issue:
            key = (repo, event.issue.number)
            self.issues[key] = _later(self.issues.get(key, event), event)

    def _add_pull(self, key: Key, event: Event, pull: Pull) -> None:
        self.pulls.add(key)
        if pull.merged:
            self.merged[key] = _at_merge(self.merged.get(key, event), event)
        elif pull.merged is None and event.action in ("closed", "merged"):
            self.undecided[key] = _later(self.undecided.get(key, event), event)

    def update(self, other: "Archive") -> None:
        """Take in all that another archive holds."""
        for key, event in other.merged.items():
            self.merged[key] = _at_merge(self.merged.get(key, event), event)
        for mine, theirs in ((self.undecided, other.undecided), (self.issues, other.issues)):
            for key, event in theirs.items():
                mine[key] = _later(mine.get(key, event), event)
        self.pulls |= other.pulls
        for name, held in other.names.items():
            self.names[name] = max(self.names.get(name, held), held)
        self.events += other.events
        self.bad += other.bad

    def need_enrichment(self) -> list[Event]:
        """Return the pull requests that were closed, by events that do not say whether they were merged."""
        return [event for key, event in sorted_items(self.undecided) if key not in self.merged]

    def repositories(self) -> list[dict[str, Any]]:
        """Return {repo, id, fork} of every repository with a merged pull request; null is unknown."""
        found = {}
        for _, event in sorted_items(self.merged):
            base = event.pull.base.repo if event.pull else None
            found[event.repo.lower()] = {"repo": event.repo, "id": event.repo_id, "fork": base.fork if base else None}
        return list(found.values())

    def linked_issues(self, key: Key) -> list[Issue]:
        """Return the issues that a merged pull request closes; texts are empty where no event holds them."""
        event = self.merged[key]
        text = f"{event.pull.title or ''}\n{event.pull.body or ''}" if event.pull else ""
        found: dict[Key, Issue] = {}
        for name, number in closing_references(text, event.repo):
            target = (self.names.get(name.lower(), ("", name.lower()))[1], number)
            latest = self.issues.get(target)
            issue = latest.issue if latest and latest.issue else IssueText(number)
            if target not in self.pulls and not issue.is_pull:
                found.setdefault(target, Issue(name, number, issue.title or "", issue.body or ""))
        return list(found.values())


def scan(path: Path) -> Archive:
    """Read one hour file."""
    archive = Archive()
    for event in read_events(path):
        if isinstance(event, Bad):
            archive.bad.append(event)
        else:
            archive.add(event)
    return archive


def sorted_items(events: dict[Key, Event]) -> list[tuple[Key, Event]]:
    """Return the items in an order that no file order changes."""
    return sorted(events.items(), key=lambda item: (item[1].repo.lower(), item[0][1], item[0][0]))


def _place(event: Event) -> tuple[str, str, str, int]:
    return event.created_at, event.id.rjust(20), event.file, event.offset


def _later(one: Event, other: Event) -> Event:
    return max(one, other, key=_place)


def _at_merge(one: Event, other: Event) -> Event:
    """Return the last state at or before the merge, else the first one after it: later edits may tell the outcome."""
    in_time = [event for event in (one, other) if _updated(event) <= _merged(event)]
    if in_time:
        return max(in_time, key=lambda event: (_updated(event), _place(event)))
    return min(one, other, key=lambda event: (_updated(event), _place(event)))


def _updated(event: Event) -> str:
    return (event.pull and event.pull.updated_at) or event.created_at


def _merged(event: Event) -> str:
    return (event.pull and event.pull.merged_at) or event.created_at
