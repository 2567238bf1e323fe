"""The rules of the aggregation once more, in plain Python over rows in memory, to compare the queries with."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from openswerl.crawl.links import closing_references
from openswerl.records import Comment, Issue, MergedPull

Row = dict[str, Any]
KINDS = {
    "IssueCommentEvent": "comment",
    "PullRequestReviewEvent": "review",
    "PullRequestReviewCommentEvent": "review_comment",
}


class Oracle:
    """All that a list of events says."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.sightings: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row["repo_id"] is not None:
                self.sightings[row["repo"].lower()].append(row)
        self.pulls, self.closed = defaultdict(list), defaultdict(list)
        self.mentions, self.numbers = defaultdict(list), set()
        for row in rows:
            self._sort_in(row)

    def repo_id(self, name: str, at: str) -> int | None:
        """Whose name it was at a time."""
        near = [
            (abs(_seconds(row["created_at"]) - _seconds(at)), row["created_at"], row["repo_id"])
            for row in self.sightings[name.lower()]
        ]
        return min(near)[2] if near else None

    def key(self, row: Row) -> tuple[str, int]:
        """Repository and number."""
        known = row["repo_id"] or self.repo_id(row["repo"], row["created_at"])
        return str(known or row["repo"].lower()), row["number"]

    def _sort_in(self, row: Row) -> None:
        if row["number"] is None:
            return
        key = self.key(row)
        self.mentions[key].append(row)
        if row["type"].startswith("PullRequest") or row["is_pull"]:
            self.numbers.add(key)
        if row["merged"] or (row["merged"] is None and row["merged_at"]):
            self.pulls[key].append(row)
        if row["type"] == "PullRequestEvent":
            self.closed[key].append(row)

    def merged(self) -> list[MergedPull]:
        """Every merged pull request in the order of the file."""
        found = {key: self._record(key, self._state(rows)) for key, rows in self.pulls.items()}
        return [found[key] for key in sorted(found, key=lambda key: (found[key].repo.lower(), key[1], key[0]))]

    def undecided(self) -> list[tuple[str, int]]:
        """Every pull request of which nothing says how its last close ended."""
        return sorted(key for key, rows in self.closed.items() if key not in self.pulls and self._open_question(rows))

    def _open_question(self, rows: list[Row]) -> bool:
        closes = [row["created_at"] for row in rows if row["action"] == "closed" and row["merged"] is None]
        if not closes:
            return False
        denied = any(row["merged"] is False and row["created_at"] >= max(closes) for row in rows)
        reopened = any(row["action"] == "reopened" and row["created_at"] > max(closes) for row in rows)
        return not denied and not reopened

    def _state(self, rows: list[Row]) -> Row:
        own = [row for row in rows if row["type"] == "PullRequestEvent"] or rows
        in_time = [row for row in own if _updated(row) <= _merge_time(row)]
        if in_time:
            return max(in_time, key=lambda row: (_updated(row), _place(row)))
        first = min(_updated(row) for row in own)
        return max((row for row in own if _updated(row) == first), key=_place)

    def _record(self, key: tuple[str, int], row: Row) -> MergedPull:
        issues, late = self._issues(key, row)
        flags = [
            *(["issue_text_after_merge"] if late else []),
            *(["not_default_branch"] if _differ(row["base_ref"], row["default_branch"]) else []),
            *(["state_from_review"] if row["type"] != "PullRequestEvent" else []),
        ]
        texts = ("title", "body", "author", "author_type", "base_ref", "default_branch", "base_sha", "head_sha")
        same = ("file", "offset", "repo", "fork", "head_repo_id", "commits", "additions", "deletions", "changed_files")
        return MergedPull(
            **{name: row[name] or "" for name in (*texts, "head_repo", "merge_commit_sha")},
            **{name: row[name] for name in same},
            repo_id=row["repo_id"] or self.repo_id(row["repo"], row["created_at"]),
            number=key[1],
            merged_at=_merge_time(row),
            labels=row["labels"] or [],
            issues=issues,
            conversation=self._conversation(key, _merge_time(row)),
            flags=flags,
        )

    def _issues(self, key: tuple[str, int], pull: Row) -> tuple[list[Issue], bool]:
        found: dict[tuple[str, int], Issue] = {}
        any_late = False
        for link in closing_references(f"{pull['title'] or ''}\n{pull['body'] or ''}", pull["repo"]):
            owner = key[0]
            if link.repo.lower() != pull["repo"].lower():
                owner = str(self.repo_id(link.repo, _merge_time(pull)) or link.repo.lower())
            target = (owner, link.number)
            if target in found or target in self.numbers:
                continue
            text, late = self._at(_merge_time(pull), [row for row in self.mentions[target] if row["title"] is not None])
            any_late |= late
            known = text or dict.fromkeys(("title", "body", "labels"))
            found[target] = Issue(
                link.repo, link.number, known["title"] or "", known["body"] or "", known["labels"] or [], link.link
            )
        return list(found.values()), any_late

    def _at(self, time: str, rows: list[Row]) -> tuple[Row | None, bool]:
        """The last row at or before a time, else the first after it, and whether it is after."""
        in_time = [row for row in rows if row["created_at"] <= time]
        if in_time:
            return max(in_time, key=_place), False
        if not rows:
            return None, False
        first = min(row["created_at"] for row in rows)
        return max((row for row in rows if row["created_at"] == first), key=_place), True

    def _conversation(self, key: tuple[str, int], time: str) -> list[Comment]:
        groups: dict[tuple, list[Row]] = defaultdict(list)
        for row in self.mentions[key]:
            if row["type"] in KINDS and ((row["comment_body"] or "").strip() or row["action"] == "deleted"):
                content = (row["comment_author"] or row["actor"], _said(row), row["comment_path"], row["comment_body"])
                same = row["comment_id"] if row["comment_id"] is not None else content
                groups[KINDS[row["type"]], same].append(row)
        kept = []
        for (kind, _), rows in groups.items():
            row, _ = self._at(time, rows)
            if row is None or _said(row) > time or any(other["action"] == "deleted" for other in rows):
                continue
            author = row["comment_author"] or row["actor"]
            record = Comment(
                kind,
                author,
                row["comment_author_type"] or "",
                _said(row),
                row["comment_path"] or "",
                row["comment_body"],
            )
            kept.append((_said(row), row["comment_id"] is None, row["comment_id"] or 0, kind, record))
        return [record for *_, record in sorted(kept, key=lambda item: item[:4])]


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _updated(row: Row) -> str:
    return row["updated_at"] or row["created_at"]


def _merge_time(row: Row) -> str:
    return row["merged_at"] or row["created_at"]


def _said(row: Row) -> str:
    return row["comment_at"] or row["created_at"]


def _place(row: Row) -> tuple:
    return row["created_at"], row["event_id"].rjust(20), row["file"], row["offset"]


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other
