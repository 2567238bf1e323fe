import re
import threading
import time

import pytest

from openswerl.errors import UserError
from openswerl.web import FAILURES_IN_A_ROW, GaveUp, Web
from servers import hang_up, network, running, status


@pytest.fixture
def server():
    with running() as server:
        server.files["/a"] = b"whole"
        yield server


def get(web: Web, path: str = "/a") -> tuple[int, bytes]:
    def once() -> tuple[int, bytes]:
        with web.open("GET", path) as response:
            return response.status_code, response.read()

    return web.attempt(path, once)


@pytest.mark.parametrize(
    "fault",
    [
        status(500),
        status(503, Retry_After="0"),
        status(429),
        status(408),
        status(403, b'{"message": "You have exceeded a secondary rate limit."}'),
        status(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="1"),
        hang_up,
    ],
)
def test_a_fault_that_passes_is_tried_again(server, fault):
    server.script["/a"] = [fault, fault]
    with Web(network(server.url), server.url) as web:
        assert get(web) == (200, b"whole")
    assert len(server.asked) == 3


def test_a_slow_server_is_tried_again(server):
    server.script["/a"] = [lambda handler: time.sleep(0.5)]
    with Web(network(server.url, timeout_s=0.1), server.url) as web:
        assert get(web) == (200, b"whole")


@pytest.mark.parametrize("code", [400, 401, 403, 404, 451])
def test_a_lasting_answer_is_not_asked_for_again(server, code):
    server.script["/a"] = [status(code, b"no")]
    with Web(network(server.url), server.url) as web:
        assert get(web) == (code, b"no")
    assert len(server.asked) == 1


def test_the_attempts_end_with_one_line(server):
    server.script["/a"] = [status(502)] * 9
    with Web(network(server.url, attempts=4), server.url) as web, pytest.raises(GaveUp) as error:
        get(web)
    assert str(error.value) == "/a: status 502, after 4 attempts"
    assert not error.value.limited
    assert len(server.asked) == 4


def test_a_server_that_stays_away_ends_the_run():
    with Web(network("http://127.0.0.1:9", attempts=1), "http://127.0.0.1:9") as web:
        for _ in range(FAILURES_IN_A_ROW - 1):
            with pytest.raises(GaveUp):
                get(web)
        with pytest.raises(UserError, match=r"http://127.0.0.1:9 does not work: ConnectError .*run again later"):
            get(web)


def test_an_answer_in_between_counts_as_life(server):
    with Web(network(server.url, attempts=1), server.url) as web:
        for _ in range(FAILURES_IN_A_ROW + 1):
            server.script["/a"] = [status(500)]
            with pytest.raises(GaveUp):
                get(web)
            assert get(web)[0] == 200


@pytest.mark.parametrize("address", ["gopher://x", "no address", "http://a:b"])
def test_an_address_that_is_none(address):
    with Web(network(address), address) as web, pytest.raises(UserError, match="is not an address"):
        get(web)


def test_the_name_of_the_project_is_sent(server):
    with Web(network(server.url), server.url) as web:
        get(web)
    assert server.asked[0].headers["user-agent"].startswith("open-swe-rl/")


def test_retry_after_is_obeyed(server):
    server.script["/a"] = [status(429, Retry_After="1")]
    with Web(network(server.url, max_wait_s=30), server.url) as web:
        get(web)
    first, second = (one.at for one in server.asked)
    assert second - first >= 1


def test_a_wait_is_never_longer_than_the_limit(server):
    server.script["/a"] = [status(429, Retry_After="86400")]
    with Web(network(server.url), server.url) as web:
        assert get(web)[0] == 200


def test_an_empty_budget_holds_the_next_request(server):
    soon = str(int(time.time()) + 2)
    server.script["/a"] = [status(200, X_RateLimit_Remaining="0", X_RateLimit_Reset=soon)]
    with Web(network(server.url, max_wait_s=0.3), server.url) as web:
        get(web)
        get(web)
    first, second = (one.at for one in server.asked)
    assert second - first >= 0.29


def test_leaving_ends_a_wait(server):
    server.script["/a"] = [status(429, Retry_After="600")]
    with Web(network(server.url, max_wait_s=600), server.url) as web:
        web.ended.set()
        with pytest.raises(GaveUp):
            get(web)


def test_github_wants_a_minute_where_it_says_nothing(server, capsys):
    server.script["/a"] = [status(403, b'{"message": "You have exceeded a secondary rate limit."}')]
    with Web(network(server.url, max_wait_s=500), server.url) as web:
        threading.Timer(0.2, web.ended.set).start()
        get(web)
    assert re.search(r"rate limit \(403\); waiting for 6[01] s", capsys.readouterr().err)


def test_a_long_wait_is_told(server, capsys):
    server.script["/a"] = [status(429, Retry_After="600")]
    with Web(network(server.url, max_wait_s=500), server.url) as web:
        threading.Timer(0.2, web.ended.set).start()
        get(web)
        assert capsys.readouterr().err == f"{server.url}: rate limit (429); waiting for 500 s\n"
        web.hold(300)
        get(web)
        assert capsys.readouterr().err == f"{server.url}: rate limit; waiting for 300 s\n"


def test_requests_are_not_logged(server, caplog):
    caplog.set_level("INFO")
    with Web(network(server.url), server.url) as web:
        get(web)
    assert not caplog.records
