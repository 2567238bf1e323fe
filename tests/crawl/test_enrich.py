import json
import os
import signal
import subprocess
import sys
import threading

import msgspec
import pytest

from crawl.asking import TOKEN, WHEN, ask, candidate, fill, github_once, rows
from github_server import graphql_shape
from openswerl.archive.columns import EVENTS
from openswerl.crawl.github.graphql import BATCH
from openswerl.crawl.github.state import Candidate
from openswerl.errors import UserError
from servers import status

KEY = "AKIA" + "QYLPMN5HHHFPZAM2"  # in two parts, so that no scanner takes it for a leak
NOTHING_FOUND = {"found": 0, "merged": 0, "not_merged": 0, "gone": 0, "emails": 0, "secrets": 0}


def test_a_merged_pull_request(server, github, tmp_path):
    enriched = ask(server, fill(github, [5]), tmp_path)
    nothing = dict.fromkeys(name for name in EVENTS.names if name.startswith(("comment", "review")))
    assert rows(enriched) == [
        {
            "file": "github-api",
            "offset": 0,
            "event_id": "",
            "type": "PullRequestEvent",
            "action": "closed",
            "created_at": "2025-11-02T10:00:00Z",
            "repo": "acme/tool",
            "repo_id": 77,
            "actor": "",
            "number": 5,
            "is_pull": True,
            "title": "Fix 5",
            "body": "Fixes #6",
            "author": "ada",
            "author_type": "User",
            "labels": ["bug"],
            "updated_at": "2025-11-03T09:00:00Z",
            "merged": True,
            "merged_at": "2025-11-02T10:00:00Z",
            "merge_commit_sha": f"{5:040x}",
            "base_sha": "d" * 40,
            "base_ref": "main",
            "default_branch": "main",
            "fork": False,
            "head_sha": "e" * 40,
            "head_ref": "fix",
            "head_repo": "ada/tool",
            "head_repo_id": 78,
            "commits": 2,
            "additions": 5,
            "deletions": 1,
            "changed_files": 1,
            **nothing,
        }
    ]
    assert enriched.counts == NOTHING_FOUND | {
        "wanted": 1,
        "asked": 1,
        "found": 1,
        "merged": 1,
        "failed": 0,
        "skipped_no_token": 0,
    }
    assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_pull_request_that_was_not_merged(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(5, merged=False, mergedAt=None, mergeCommit=None)
    enriched = ask(server, [candidate(5)], tmp_path)
    (row,) = rows(enriched)
    assert (row["merged"], row["merged_at"], row["merge_commit_sha"]) == (False, None, None)
    assert (enriched.counts["merged"], enriched.counts["not_merged"]) == (0, 1)


def test_a_reopened_pull_request(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(5, merged=False, mergedAt=None, closedAt=None, mergeCommit=None)
    assert rows(ask(server, [candidate(5)], tmp_path))[0]["created_at"] == WHEN


def test_accounts_and_repositories_that_are_gone(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(5, author=None, headRepository=None, defaultBranchRef=None)
    (row,) = rows(ask(server, [candidate(5)], tmp_path))
    assert (row["author"], row["author_type"]) == ("ghost", "User")
    assert (row["head_repo"], row["head_repo_id"], row["default_branch"]) == (None, None, None)


def test_a_bot_has_the_name_that_events_show(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(5, author={"login": "dependabot", "__typename": "Bot"})
    (row,) = rows(ask(server, [candidate(5)], tmp_path))
    assert (row["author"], row["author_type"]) == ("dependabot[bot]", "Bot")


def test_addresses_and_secrets_are_not_stored(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(
        5,
        title="Ask ada@real.org",
        body=f"key {KEY}\nSigned-off-by: A <ada@real.org>",
        headRefName="by-ada@real.org",
        labels={"nodes": [{"name": "bug"}, {"name": "ada@real.org"}]},
    )
    enriched = ask(server, [candidate(5)], tmp_path)
    assert (enriched.counts["emails"], enriched.counts["secrets"]) == (4, 1)
    assert rows(enriched)[0]["labels"][0] == "bug"
    for path in (tmp_path / "github").iterdir():
        assert b"ada@real.org" not in path.read_bytes()
        assert KEY.encode() not in path.read_bytes()


def test_rows_are_sorted_whatever_the_order_asked(server, github, tmp_path):
    wanted = [*fill(github, range(1, 121)), *[candidate(3, "Acme/other", 9)]]
    github.pulls["Acme/other", 3] = graphql_shape(3, databaseId=9)
    first = ask(server, wanted, tmp_path / "a")
    second = ask(server, reversed(wanted), tmp_path / "b")
    assert [(row["repo"], row["number"]) for row in rows(first)][:2] == [("Acme/other", 3), ("acme/tool", 1)]
    assert [row["offset"] for row in rows(first)] == list(range(121))
    assert first.path.read_bytes() == second.path.read_bytes()


def test_fifty_are_asked_at_a_time(server, github, tmp_path):
    ask(server, fill(github, range(1, 121)), tmp_path)
    assert BATCH == 50
    assert [json.loads(one.body)["query"].count("pullRequest(") for one in server.asked] == [50, 50, 20]


def test_nothing_is_asked_twice(server, github, tmp_path):
    wanted = [*fill(github, [1, 2]), candidate(404)]
    first = ask(server, wanted, tmp_path)
    before = first.path.read_bytes()
    server.asked.clear()
    again = ask(server, wanted, tmp_path)
    assert (server.asked, again, again.path.read_bytes()) == ([], first, before)
    later = msgspec.structs.replace(wanted[0], updated_at="2025-12-01T00:00:00Z")
    ask(server, [later], tmp_path)
    assert len(server.asked) == 1, "another event is another question"


def test_a_cache_that_is_none(server, tmp_path):
    (tmp_path / "github").mkdir()
    (tmp_path / "github" / "answers.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(UserError, match=r"answers.sqlite cannot be read: .*; delete it and run again"):
        ask(server, [candidate(1)], tmp_path)


def test_a_repeated_candidate_is_one(server, github, tmp_path):
    enriched = ask(server, fill(github, [1]) * 3, tmp_path)
    assert (enriched.counts["wanted"], len(rows(enriched))) == (1, 1)


def test_without_a_token_nothing_is_asked(server, github, tmp_path, monkeypatch, capsys):
    wanted = fill(github, [1, 2, 3])
    ask(server, wanted[:1], tmp_path)
    server.asked.clear()
    monkeypatch.delenv("OPENSWERL_TEST_TOKEN")
    enriched = ask(server, wanted, tmp_path)
    assert server.asked == []
    assert (enriched.counts["wanted"], enriched.counts["asked"], enriched.counts["skipped_no_token"]) == (3, 1, 2)
    assert len(rows(enriched)) == 1, "an answer of an earlier run is used"
    assert "no token in $OPENSWERL_TEST_TOKEN: 2 pull requests are not asked about" in capsys.readouterr().err


def test_nothing_wanted(server, tmp_path):
    enriched = ask(server, [], tmp_path)
    assert (rows(enriched), server.asked) == ([], [])
    assert enriched.counts == NOTHING_FOUND | {"wanted": 0, "asked": 0, "failed": 0, "skipped_no_token": 0}


def test_what_is_not_found_is_gone(server, github, tmp_path):
    enriched = ask(server, [*fill(github, [1, 3]), candidate(2)], tmp_path)
    assert [row["number"] for row in rows(enriched)] == [1, 3]
    assert (enriched.counts["found"], enriched.counts["gone"], enriched.counts["failed"]) == (2, 1, 0)
    gone = (tmp_path / "github" / "gone.jsonl").read_text()
    assert json.loads(gone) == {"repo": "acme/tool", "number": 2, "reason": "not_found"}


def test_a_name_that_belongs_to_another_repository_now(server, github, tmp_path):
    github.pulls["acme/tool", 5] = graphql_shape(5, databaseId=12345)
    enriched = ask(server, [candidate(5)], tmp_path)
    assert (rows(enriched), enriched.counts["gone"]) == ([], 1)
    assert '"other_repository"' in (tmp_path / "github" / "gone.jsonl").read_text()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"merged": False, "mergedAt": None, "mergeCommit": None},
        {"author": None, "headRepository": None},
        {"author": {"login": "renovate", "__typename": "Bot"}, "body": ""},
        {"isFork": True, "databaseId": 77},
    ],
)
def test_rest_and_graphql_give_the_same(server, github, tmp_path, changes):
    github.pulls["acme/tool", 1] = graphql_shape(1, **changes)
    one = ask(server, [candidate(1)], tmp_path / "a")
    github.broken["acme/tool", 1] = {"message": "Something went wrong"}
    other = ask(server, [candidate(1)], tmp_path / "b")
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.counts == other.counts


def test_a_real_pull_request_object(data_folder, server, github, tmp_path):
    """Events of 2015 to 2025 hold what REST answers: what is read of it must be what the archive's reader reads."""
    import gzip

    with gzip.open(data_folder / "gharchive" / "2021-07-21-few-hours.json.gz") as file:
        events = [json.loads(line) for line in file]
    pulls = [e["payload"]["pull_request"] for e in events if e["type"] == "PullRequestEvent"]
    pulls = [pull for pull in pulls if pull.get("merged")]
    assert pulls
    wanted = []
    for pull in pulls:
        base = pull["base"]["repo"]
        wanted.append(Candidate(base["full_name"], base["id"], pull["number"], WHEN, "", ""))
        github.broken[base["full_name"], pull["number"]] = {"message": "Something went wrong"}
        path = f"/repos/{base['full_name']}/pulls/{pull['number']}"
        server.script[path] = [status(200, json.dumps(pull).encode())]
    found = {(row["repo"], row["number"]): row for row in rows(ask(server, wanted, tmp_path))}
    assert len(found) == len({(one.repo, one.number) for one in wanted})
    for pull in pulls:
        row = found[pull["base"]["repo"]["full_name"], pull["number"]]
        assert (row["merged"], row["merged_at"], row["base_sha"], row["head_sha"]) == (
            True,
            pull["merged_at"],
            pull["base"]["sha"],
            pull["head"]["sha"],
        )
        assert row["changed_files"] == pull["changed_files"]
        assert row["author_type"] == pull["user"]["type"]


CHILD = """
import sys
from pathlib import Path
from openswerl.crawl.enrich import enrich
from openswerl.crawl.github.state import Candidate
from servers import network
wanted = [Candidate("acme/tool", 77, number, sys.argv[3], "d" * 40, "e" * 40) for number in range(1, 121)]
enrich(wanted, Path(sys.argv[2]), network(sys.argv[1]))
"""


def test_a_killed_enrichment_goes_on_where_it_was(server, github, tmp_path):
    wanted, reached = fill(github, range(1, 121)), threading.Event()

    def stall(handler):
        reached.set()
        handler.rfile.read(1)

    server.script["/graphql"] = [github_once(github), stall]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(__file__))}
    arguments = [sys.executable, "-c", CHILD, server.url, str(tmp_path / "killed" / "github"), WHEN]
    killed = subprocess.Popen(arguments, env=environment)
    assert reached.wait(60)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    interrupted = server.asked[1].body
    server.asked.clear()
    enriched = ask(server, wanted, tmp_path / "killed")
    assert [one.body == interrupted for one in server.asked] == [True, False], "only what was under way is asked again"
    whole = ask(server, wanted, tmp_path / "whole")
    assert enriched.path.read_bytes() == whole.path.read_bytes()
    assert enriched.counts == whole.counts
