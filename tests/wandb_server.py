"""A stand-in for the W&B server: the part of its GraphQL, file stream and storage that our runs and reports use."""

import json
import re
from collections.abc import Callable
from typing import Any

from servers import Handler, Server

OPERATION = re.compile(r"\s*(?:query|mutation)\s+(\w+)")
ENTITY = {"id": "entity", "name": "me"}


class Wandb:
    """What the server knows: `runs` by id, `artifacts` by name:alias, `uses` and `makes` as (run, artifact), alerts."""

    def __init__(self, server: Server) -> None:
        self.server, self.url = server, server.url
        self.runs: dict[str, dict[str, Any]] = {}
        self.artifacts: list[dict[str, Any]] = []
        self.uses: set[tuple[str, str]] = set()
        self.makes: set[tuple[str, str]] = set()
        self.uploads: list[str] = []
        self.alerts: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.projects = {"open-swe-rl"}
        self.unknown: list[str] = []
        server.serve = self.serve

    def serve(self, handler: Handler, body: str) -> None:
        """Answer one request."""
        if handler.path == "/graphql":
            asked = json.loads(body)
            name = OPERATION.match(asked["query"])[1]
            answer: Callable[..., Any] | None = getattr(self, f"answer_{name}", None)
            if answer is None:
                self.unknown.append(name + " " + body)
            result = {"data": answer(asked.get("variables") or {})} if answer else {"errors": [{"message": name}]}
        elif handler.path.endswith("/file_stream"):
            result = self.stream(handler.path.split("/")[-2], json.loads(body))
        else:
            result = {}
        handler.reply(200, json.dumps(result).encode(), Content_Type="application/json")

    def stream(self, run: str, body: dict[str, Any]) -> dict[str, Any]:
        """Take rows of history and the summary."""
        files = body.get("files") or {}
        for line in files.get("wandb-history.jsonl", {}).get("content", []):
            self.runs[run]["history"].append(json.loads(line))
        for line in files.get("wandb-summary.json", {}).get("content", []):
            self.runs[run]["summary"] = json.loads(line)
        self.runs[run]["finished"] = body.get("complete", False)
        return {}

    def answer_Viewer(self, asked: dict[str, Any]) -> Any:
        return {"viewer": {"id": "u", "entity": "me", "username": "me", "flags": "{}", "teams": {"edges": []}}}

    def answer_RunResumeStatus(self, asked: dict[str, Any]) -> Any:
        run = self.runs.get(asked["name"])
        return {"model": {"id": "p", "name": asked["project"], "entity": ENTITY, "bucket": run and self.bucket(run)}}

    def bucket(self, run: dict[str, Any]) -> dict[str, Any]:
        """Return a run as the server tells of it."""
        tail = [json.dumps(row) for row in run["history"][-1:]]
        return {
            **{key: run[key] for key in ("id", "name", "displayName", "config")},
            **{"tags": [], "notes": None, "sweepName": None, "wandbConfig": json.dumps({"t": 1}), "eventsTail": "[]"},
            **{"logLineCount": 0, "eventsLineCount": 0, "historyLineCount": len(run["history"])},
            "historyTail": json.dumps(tail),
            "summaryMetrics": json.dumps(run["summary"]),
            "project": {"id": "p", "name": run["project"], "entity": ENTITY},
        }

    def answer_UpsertBucket(self, asked: dict[str, Any]) -> Any:
        name = asked["name"]
        inserted = name not in self.runs
        run = self.runs.setdefault(
            name, {"id": name, "displayName": name, "history": [], "summary": {}, "config": "{}"}
        )
        run |= {key: value for key, value in asked.items() if value is not None and key not in ("id", "summaryMetrics")}
        return {"upsertBucket": {"bucket": self.bucket(run), "inserted": inserted}}

    def answer_NotifyScriptableRunAlert(self, asked: dict[str, Any]) -> Any:
        self.alerts.append(asked)
        return {"notifyScriptableRunAlert": {"success": True}}

    def answer_ServerFeaturesQuery(self, asked: dict[str, Any]) -> Any:
        return {"serverInfo": {"features": []}}

    def answer_ArtifactType(self, asked: dict[str, Any]) -> Any:
        return {"project": {"artifact": None}}

    def answer_CreateArtifact(self, asked: dict[str, Any]) -> Any:
        """The same content under the same name is the artifact that is there, as the client asks for."""
        new = asked["input"]
        name, aliases = new["artifactCollectionName"], {item["alias"] for item in new["aliases"]}
        same = [it for it in self.artifacts if (it["name"], it["digest"]) == (name, new["digest"])]
        if not same:
            kind = {"type": new["artifactTypeName"], "metadata": json.loads(new["metadata"] or "{}")}
            number = str(len(self.artifacts))
            same = [{"id": number, "name": name, "digest": new["digest"], "state": "PENDING", "aliases": set(), **kind}]
            self.artifacts += same
        same[0]["aliases"] |= aliases
        self.makes.add((new["runName"], name))
        return {"createArtifact": {"artifact": {**_told(same[0], "id", "state"), "artifactSequence": {}}}}

    def answer_CreateArtifactManifest(self, asked: dict[str, Any]) -> Any:
        file = {"id": "file", "uploadUrl": f"{self.url}/upload/{asked['artifactID']}", "uploadHeaders": []}
        return {"createArtifactManifest": {"artifactManifest": {"id": asked["artifactID"], "file": file}}}

    def answer_UpdateArtifactManifest(self, asked: dict[str, Any]) -> Any:
        return {"updateArtifactManifest": self.answer_CreateArtifactManifest(asked)["createArtifactManifest"]}

    def answer_CreateArtifactFiles(self, asked: dict[str, Any]) -> Any:
        nodes = []
        for spec in asked["input"]["artifactFiles"]:
            self.uploads.append(spec["name"])
            where = {"storagePath": spec["name"], "uploadUrl": f"{self.url}/upload/{spec['name']}"}
            nodes.append({**where, "uploadHeaders": [], "artifact": {"id": spec["artifactID"]}})
        return {"createArtifactFiles": {"files": {"edges": [{"node": node} for node in nodes]}}}

    def answer_CreateRunFiles(self, asked: dict[str, Any]) -> Any:
        files = [{"name": name, "uploadUrl": f"{self.url}/upload/{name}"} for name in asked["files"]]
        return {"createRunFiles": {"runID": asked["run"], "uploadHeaders": [], "files": files}}

    def answer_CommitArtifact(self, asked: dict[str, Any]) -> Any:
        artifact = self.artifacts[int(asked["artifactID"])]
        artifact["state"] = "COMMITTED"
        return {"commitArtifact": {"artifact": _told(artifact, "id", "digest")}}

    def answer_ArtifactMembershipByName(self, asked: dict[str, Any]) -> Any:
        name, _, alias = asked["name"].partition(":")
        found = [it for it in self.artifacts if it["name"] == name and alias in it["aliases"]]
        return {"project": {"artifactCollectionMembership": _member(found[0]) if found else None}}

    def answer_UseArtifact(self, asked: dict[str, Any]) -> Any:
        artifact = self.artifacts[int(asked["artifactID"])]
        self.uses.add((asked["runName"], artifact["name"]))
        return {"useArtifact": {"artifact": {"id": artifact["id"]}}}

    answer_GetDefaultEntity = answer_Viewer

    def answer_ProjectInternalId(self, asked: dict[str, Any]) -> Any:
        return {"project": {"id": "p", "internalId": "1"} if asked["projectName"] in self.projects else None}

    def answer_GetProjects(self, asked: dict[str, Any]) -> Any:
        rest = {"entityName": "me", "createdAt": "2026-01-01", "isBenchmark": False, "user": None}
        nodes = [{"node": {"id": name, "name": name, **rest}} for name in sorted(self.projects)]
        return {"models": {"edges": nodes, "pageInfo": {"endCursor": None, "hasNextPage": False}}}

    def answer_ProjectViews(self, asked: dict[str, Any]) -> Any:
        views = [{"node": {**view, "user": {}}, "cursor": view["id"]} for view in self.views]
        return {"project": {"allViews": {"edges": views, "pageInfo": {"endCursor": None, "hasNextPage": False}}}}

    def answer_upsertView(self, asked: dict[str, Any]) -> Any:
        """A report is a view; without an id it is a new one."""
        known = {view["id"]: view for view in self.views}
        view = known.get(asked["id"]) or {"id": f"view{len(self.views)}"}
        if view["id"] not in known:
            self.views.append(view)
        view |= asked | {"id": view["id"], "createdAt": "2026-01-01T00:00:00", "updatedAt": "2026-01-01T00:00:00"}
        project = {"id": "p", "name": asked["projectName"], "entityName": asked["entityName"]}
        return {"upsertView": {"view": {**view, "project": project}, "inserted": True}}


def _told(artifact: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: artifact[key] for key in keys}


def _member(artifact: dict[str, Any]) -> dict[str, Any]:
    """Return an artifact as the client reads it."""
    project = {"id": "p", "internalId": "p", "name": "open-swe-rl", "entity": ENTITY}
    collection = {"__typename": "ArtifactSequence", "name": artifact["name"], "project": project}
    empty = {"description": None, "ttlDurationSeconds": 0, "ttlIsInherited": True, "tags": [], "historyStep": None}
    told = _told(artifact, "id", "digest", "state") | {"metadata": json.dumps(artifact["metadata"])}
    counts = {"size": 0, "fileCount": 1, "commitHash": None, "createdAt": "2026-01-01", "updatedAt": None}
    version = {"versionIndex": 0, "artifactSequence": collection, "artifactType": {"name": artifact["type"]}}
    member = {"id": "m", "versionIndex": 0, "createdAt": "2026-01-01", "aliases": [], "artifactCollection": collection}
    return {**member, "artifact": {**empty, **told, **counts, **version}}
