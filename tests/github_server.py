"""What GitHub answers, for a server of this machine: GraphQL and REST in their published shapes."""

import json
import re
import time
from typing import Any

from servers import Handler

ALIAS = re.compile(r'(c\d+): repository\(owner: "([^"]*)", name: "([^"]*)"\) \{[^(]*pullRequest\(number: (\d+)\)')
REST = re.compile(r"/repos/([^/]+/[^/]+)/pulls/(\d+)")


class GitHub:
    """Answers GraphQL and REST from `pulls`, {(owner/name, number): state as GraphQL shows it}.

    `broken` are pull requests for which GraphQL has an error of this type; REST knows them. `headers`: whether the
    headers tell what remains of the hour's budget, as the GraphQL answer does.
    """

    def __init__(self) -> None:
        self.pulls: dict[tuple[str, int], dict[str, Any]] = {}
        self.broken: dict[tuple[str, int], dict[str, Any]] = {}
        self.rest_status: dict[tuple[str, int], int] = {}
        self.remaining, self.reset_at, self.headers = 4999, "2026-01-01T00:00:00Z", True

    def __call__(self, handler: Handler, body: str) -> None:
        if handler.command == "POST" and handler.path == "/graphql":
            return self.reply(handler, self.graphql(json.loads(body)["query"]))
        found = REST.fullmatch(handler.path)
        key = (found[1], int(found[2])) if found else ("", 0)
        if code := self.rest_status.get(key):
            return handler.reply(code, b'{"message": "Repository access blocked"}')
        if key not in self.pulls:
            return handler.reply(404, b'{"message": "Not Found", "status": "404"}')
        self.reply(handler, rest_shape(self.pulls[key]))

    def reply(self, handler: Handler, body: dict[str, Any]) -> None:
        limit = {"X-RateLimit-Remaining": str(self.remaining), "X-RateLimit-Reset": str(int(time.time()) + 3)}
        headers = limit if self.headers else {}
        handler.reply(200, json.dumps(body).encode(), **{"Content-Type": "application/json"}, **headers)

    def graphql(self, query: str) -> dict[str, Any]:
        data: dict[str, Any] = {"rateLimit": {"remaining": self.remaining, "resetAt": self.reset_at}}
        errors = []
        for alias, owner, name, number in ALIAS.findall(query):
            key = (f"{owner}/{name}", int(number))
            if key in self.broken:
                data[alias] = None
                errors.append(self.broken[key] | {"path": [alias, "pullRequest"]})
            elif key not in self.pulls:
                data[alias] = None
                message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
                errors.append({"type": "NOT_FOUND", "path": [alias], "message": message})
            else:
                data[alias] = self.pulls[key]
        return {"data": data} | ({"errors": errors} if errors else {})


def graphql_shape(number: int, **changes: Any) -> dict[str, Any]:
    """A repository with one pull request, in the shape of GitHub's GraphQL answer."""
    pull = {
        "title": f"Fix {number}",
        "body": f"Fixes #{number + 1}",
        "merged": True,
        "mergedAt": "2025-11-02T10:00:00Z",
        "closedAt": "2025-11-02T10:00:00Z",
        "updatedAt": "2025-11-03T09:00:00Z",
        "mergeCommit": {"oid": f"{number:040x}"},
        "author": {"login": "ada", "__typename": "User"},
        "labels": {"nodes": [{"name": "bug"}]},
        "baseRefName": "main",
        "baseRefOid": "b" * 40,
        "headRefName": "fix",
        "headRefOid": "a" * 40,
        "headRepository": {"databaseId": 78, "nameWithOwner": "ada/tool"},
        "commits": {"totalCount": 2},
        "additions": 5,
        "deletions": 1,
        "changedFiles": 1,
    }
    whole = {"databaseId": 77, "isFork": False, "defaultBranchRef": {"name": "main"}}
    return whole | {key: changes.pop(key) for key in list(changes) if key in whole} | {"pullRequest": pull | changes}


def rest_shape(state: dict[str, Any]) -> dict[str, Any]:
    """The same pull request in the shape of GitHub's REST answer."""
    pull = state["pullRequest"]
    author, head = pull["author"], pull["headRepository"]
    bot = author and author["__typename"] == "Bot"
    user = author and {"login": author["login"] + ("[bot]" if bot else ""), "type": author["__typename"]}
    return {
        "title": pull["title"],
        "body": pull["body"] or None,
        "user": user or {"login": "ghost", "type": "User"},
        "labels": pull["labels"]["nodes"],
        "updated_at": pull["updatedAt"],
        "closed_at": pull["closedAt"],
        "merged": pull["merged"],
        "merged_at": pull["mergedAt"],
        "merge_commit_sha": pull["mergeCommit"]["oid"] if pull["mergeCommit"] else "c" * 40,
        "base": {
            "sha": pull["baseRefOid"],
            "ref": pull["baseRefName"],
            "repo": {
                "id": state["databaseId"],
                "full_name": "acme/tool",
                "fork": state["isFork"],
                "default_branch": state["defaultBranchRef"]["name"],
            },
        },
        "head": {
            "sha": pull["headRefOid"],
            "ref": pull["headRefName"],
            "repo": head and {"id": head["databaseId"], "full_name": head["nameWithOwner"]},
        },
        "commits": pull["commits"]["totalCount"],
        "additions": pull["additions"],
        "deletions": pull["deletions"],
        "changed_files": pull["changedFiles"],
    }
