"""Asking the GitHub of this machine about pull requests of acme/tool."""

import pyarrow.parquet as pq

from github_server import graphql_shape
from openswerl.archive.columns import EVENTS
from openswerl.crawl.enrich import enrich
from openswerl.crawl.github.state import Candidate
from servers import network

TOKEN = "not-a-token-0123456789abcdefghij"
WHEN = "2025-11-02T10:00:01Z"


def candidate(number, repo="acme/tool", repo_id=77):
    return Candidate(repo, repo_id, number, WHEN, "d" * 40, "e" * 40)


def fill(github, numbers, repo="acme/tool"):
    github.pulls |= {(repo, number): graphql_shape(number) for number in numbers}
    return [candidate(number) for number in numbers]


def rows(enriched):
    assert pq.read_schema(enriched.path).equals(EVENTS)
    return pq.read_table(enriched.path).to_pylist()


def ask(server, wanted, folder, **changes):
    return enrich(wanted, folder / "github", network(server.url, **changes))


def github_once(github):
    return lambda handler: github(handler, handler.server.asked[-1].body)
