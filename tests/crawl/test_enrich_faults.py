import json
import time

import pytest

from crawl.asking import TOKEN, ask, candidate, fill, github_once, rows
from github_server import graphql_shape, rest_shape
from openswerl.crawl.enrich import enrich
from openswerl.errors import UserError
from servers import hang_up, network, status


@pytest.mark.parametrize("kind", [{"type": "FORBIDDEN", "message": "no"}, {"message": "Something went wrong"}])
def test_one_error_among_answers_is_asked_of_rest(server, github, tmp_path, kind):
    wanted = fill(github, [1, 2, 3])
    github.broken["acme/tool", 2] = kind
    broken = ask(server, wanted, tmp_path / "a")
    assert server.paths() == ["/graphql", "/repos/acme/tool/pulls/2"]
    github.broken.clear()
    assert broken.path.read_bytes() == ask(server, wanted, tmp_path / "b").path.read_bytes()


@pytest.mark.parametrize(("code", "reason"), [(404, "not_found"), (451, "blocked"), (403, "blocked")])
def test_rest_says_that_it_is_gone(server, github, tmp_path, code, reason):
    github.broken["acme/tool", 1] = {"type": "FORBIDDEN"}
    github.rest_status["acme/tool", 1] = code
    enriched = ask(server, [candidate(1)], tmp_path)
    assert enriched.counts["gone"] == 1
    assert f'"{reason}"' in (tmp_path / "github" / "gone.jsonl").read_text()


def test_rest_follows_a_renamed_repository(server, github, tmp_path):
    github.broken["acme/tool", 1] = {"message": "Something went wrong"}
    github.pulls["acme/new", 1] = graphql_shape(1)
    server.script["/repos/acme/tool/pulls/1"] = [status(301, Location="/repos/acme/new/pulls/1")]
    (row,) = rows(ask(server, [candidate(1)], tmp_path))
    assert (row["repo"], row["repo_id"], row["merged"]) == ("acme/tool", 77, True)


def test_a_graphql_that_does_not_work_leaves_rest(server, github, tmp_path, capsys):
    wanted = fill(github, [1, 2])
    server.script["/graphql"] = [status(502)] * 3
    enriched = ask(server, wanted, tmp_path)
    assert (enriched.counts["merged"], server.paths()[3:]) == (2, [f"/repos/acme/tool/pulls/{n}" for n in (1, 2)])
    assert "warning: GraphQL for acme/tool#1 and others: status 502, after 3 attempts" in capsys.readouterr().err


def test_what_fails_is_counted_and_asked_again_the_next_time(server, github, tmp_path, capsys):
    wanted = fill(github, [1, 2])
    github.broken["acme/tool", 2] = {"message": "Something went wrong"}
    server.script["/repos/acme/tool/pulls/2"] = [status(500)] * 3
    enriched = ask(server, wanted, tmp_path)
    assert (enriched.counts["found"], enriched.counts["failed"], enriched.counts["gone"]) == (1, 1, 0)
    assert "warning: REST for acme/tool#2: status 500, after 3 attempts" in capsys.readouterr().err
    assert ask(server, wanted, tmp_path).counts["found"] == 2


@pytest.mark.parametrize(
    "fault",
    [
        status(200, b'{"data": {"rateLimit"'),
        status(200, b"[]"),
        status(200, b'{"errors": [{"message": "Something went wrong"}]}'),
        status(200, b'{"data": null, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}'),
        status(403, b'{"message": "You have exceeded a secondary rate limit"}', Retry_After="0"),
        status(429, Retry_After="0"),
        hang_up,
    ],
)
def test_a_fault_that_passes(server, github, tmp_path, fault):
    wanted = fill(github, [1, 2])
    server.script["/graphql"] = [fault, fault]
    assert ask(server, wanted, tmp_path).counts["found"] == 2
    assert server.paths() == ["/graphql"] * 3


@pytest.mark.parametrize(
    "odd",
    [
        {"title": None},
        {"merged": "yes"},
        {"commits": None},
        {"author": {"login": 3, "__typename": "User"}},
    ],
)
def test_an_odd_shape_is_asked_of_rest(server, github, tmp_path, odd):
    """The answer of REST is malformed as well here, so that it is tried, and fails, without harm to the others."""
    wanted = fill(github, [1, 2, 3])
    whole = rest_shape(graphql_shape(2))
    github.pulls["acme/tool", 2] = graphql_shape(2, **odd)
    server.script["/repos/acme/tool/pulls/2"] = [status(200, b'{"title": '), status(200, json.dumps(whole).encode())]
    assert ask(server, wanted, tmp_path).counts["found"] == 3


def test_the_hours_budget_is_awaited(server, github, tmp_path):
    """A primary limit: GitHub says until when, and the second of three batches waits for it."""
    wanted = fill(github, range(1, 121))
    body = json.dumps({"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}).encode()
    headers = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": str(int(time.time()) + 2)}

    def exhausted(handler):
        handler.reply(200, body, **headers)

    server.script["/graphql"] = [github_once(github), exhausted]
    assert ask(server, wanted, tmp_path, max_wait_s=0.5).counts["found"] == 120
    times = [one.at for one in server.asked]
    assert len(times) == 4
    assert times[2] - times[1] >= 0.5


@pytest.mark.parametrize("headers", [True, False])
def test_an_empty_budget_in_an_answer_holds_the_next_question(server, github, tmp_path, headers):
    github.remaining, github.headers, github.reset_at = 0, headers, "9999-01-01T00:00:00Z" if not headers else ""
    ask(server, fill(github, range(1, 101)), tmp_path, max_wait_s=0.3)
    first, second = (one.at for one in server.asked)
    assert second - first >= 0.29


LIMITS = {
    "primary": status(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="1"),
    "secondary": status(403, b'{"message": "You have exceeded a secondary rate limit"}'),
    "graphql": status(200, b'{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}'),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_outlasts_every_attempt_ends_the_run_and_keeps_the_answers(server, github, tmp_path, limit):
    wanted = fill(github, range(1, 121))
    server.script["/graphql"] = [github_once(github), *[LIMITS[limit]] * 3]
    with pytest.raises(UserError, match=r"GitHub: .*rate limit .*; the answers so far are kept, run again in an hour"):
        ask(server, wanted, tmp_path)
    server.asked.clear()
    assert ask(server, wanted, tmp_path).counts["found"] == 120
    assert len(server.asked) == 2, "the first fifty are not asked about again"


@pytest.mark.parametrize("path", ["/graphql", "/repos/acme/tool/pulls/1"])
def test_a_token_that_github_refuses(server, github, tmp_path, path):
    github.broken["acme/tool", 1] = {"message": "Something went wrong"}
    server.script[path] = [status(401, b'{"message": "Bad credentials"}')]
    with pytest.raises(UserError, match=r"GitHub refuses the token \(401\)") as error:
        ask(server, [candidate(1)], tmp_path)
    assert TOKEN not in str(error.value)


@pytest.mark.parametrize("bad", ["two words", "line\nbreak", "ü" * 20])
def test_a_value_that_is_no_token_is_not_printed(server, github, tmp_path, monkeypatch, bad):
    monkeypatch.setenv("OPENSWERL_TEST_TOKEN", bad)
    with pytest.raises(UserError, match=r"the value of \$OPENSWERL_TEST_TOKEN is no token") as error:
        ask(server, fill(github, [1]), tmp_path)
    assert bad not in str(error.value)


def test_the_token_is_nowhere(server, github, tmp_path, capfd, caplog):
    caplog.set_level("DEBUG")
    caplog.set_level("DEBUG", "httpx")
    github.broken["acme/tool", 2] = {"message": "Something went wrong"}
    server.script["/graphql"] = [status(500), hang_up]
    ask(server, fill(github, [1, 2]), tmp_path)
    told = "".join([*capfd.readouterr(), caplog.text])
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "/graphql" in told, "httpx logs what it asks"
    assert TOKEN not in told
    assert TOKEN.encode() not in stored


def test_github_that_stays_away_ends_the_run_early(token, tmp_path):
    with pytest.raises(UserError, match="does not work: ConnectError"):
        enrich([candidate(n) for n in range(1, 200)], tmp_path, network("http://127.0.0.1:9", attempts=1))
