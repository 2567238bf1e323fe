import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.fetching import DATA, FIRST, HOURS, SECOND, THIRD, fetch, snapshot
from servers import drop, hang_up, no_ranges, running, serve_file, stall, status


@pytest.fixture
def server():
    with running() as server:
        server.files.update(DATA)
        yield server


def test_a_dropped_connection_is_resumed_where_it_ended(server, tmp_path):
    server.script[FIRST] = [drop(100_000), drop(50_000)]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    ranges = [one.headers.get("range") for one in server.asked if one.path == FIRST]
    assert ranges == [None, "bytes=100000-", "bytes=150000-"]
    assert server.asked[1].headers["if-range"] == f'"{hashlib.md5(DATA[FIRST]).hexdigest()}"'


def test_a_server_that_knows_no_ranges(server, tmp_path):
    server.script[FIRST] = [drop(100_000), no_ranges]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]


def test_a_file_that_changes_while_it_comes_is_begun_anew(server, tmp_path):
    new = random.Random("new").randbytes(250_000)

    def change(handler):
        server.files[FIRST] = new
        serve_file(handler)

    server.script[FIRST] = [drop(100_000), change]
    found = fetch(server, tmp_path)[0]
    assert (found.state, found.path.read_bytes()) == ("read", new)


def test_a_server_that_resumes_another_file_is_not_believed(server, tmp_path):
    def careless(handler):
        headers = {"Content_Range": "bytes 100000-299999/300000", "ETag": '"another"'}
        handler.reply(206, bytes(200_000), **headers)

    server.script[FIRST] = [drop(100_000), careless]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    assert "range" not in server.asked[2].headers


def test_a_server_that_resumes_a_longer_file_is_not_believed(server, tmp_path):
    def careless(handler):
        handler.reply(206, bytes(200_000), Content_Range="bytes 100000-299999/300001")

    server.script[FIRST] = [drop(100_000), careless]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]


def test_a_bare_answer_to_a_range_is_enough(server, tmp_path):
    server.script[FIRST] = [
        drop(100_000),
        lambda handler: handler.reply(206, DATA[FIRST][100_000:], Content_Range="bytes 100000-299999/*"),
    ]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    assert server.paths().count(FIRST) == 2


@pytest.mark.parametrize("code", [206, 416])
def test_an_answer_to_a_range_that_nobody_asked_for(server, tmp_path, code):
    server.script[FIRST] = [status(code, b"?")]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]


def test_a_server_that_resumes_elsewhere_is_not_believed(server, tmp_path):
    def careless(handler):
        etag = f'"{hashlib.md5(DATA[FIRST]).hexdigest()}"'
        handler.reply(206, DATA[FIRST][90_000:290_000], Content_Range="bytes 90000-289999/300000", ETag=etag)

    server.script[FIRST] = [drop(100_000), careless]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]


def test_without_a_strong_validator_nothing_is_resumed(server, tmp_path):
    def weak(handler):
        handler.send_response(200)
        for key, value in {"ETag": 'W/"1"', "Content-Length": "300000"}.items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(bytes(100_000))
        handler.cut()

    server.script[FIRST] = [weak]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    assert "range" not in server.asked[1].headers


def test_the_servers_checksum_is_checked(server, tmp_path):
    def damaged(handler):
        handler.reply(200, bytes(300_000), x_goog_hash="crc32c=AAAAAA==,md5=XUFAKrxLKna5cZ2REBfFkg==")

    server.script[FIRST] = [damaged]
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    server.script[SECOND] = [damaged] * 3
    (tmp_path / "2015-01-01-1.json.gz").unlink()
    found = fetch(server, tmp_path)[1]
    assert (found.state, "checksum" in found.detail) == ("failed", True)


def test_a_compressed_transfer_is_stored_as_it_is(server, tmp_path):
    """A server may label the file's own gzip as the transfer's; what is pinned are the bytes of the file."""
    server.script[FIRST] = [status(200, DATA[FIRST], Content_Encoding="gzip")] * 3
    assert fetch(server, tmp_path)[0].path.read_bytes() == DATA[FIRST]
    assert server.asked[0].headers["accept-encoding"] == "identity"


FAULTS = st.sampled_from([status(500), status(429), hang_up, no_ranges]) | st.integers(0, 299_999).map(drop)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(FAULTS, max_size=4))
def test_whatever_goes_wrong_the_bytes_are_the_same(server, tmp_path_factory, faults):
    server.script[FIRST] = list(faults)
    found = fetch(server, tmp_path_factory.mktemp("hours"), HOURS[:1], attempts=5, max_wait_s=0.0)[0]
    assert (found.state, found.sha256) == ("read", hashlib.sha256(DATA[FIRST]).hexdigest())


CHILD = """
import sys
from pathlib import Path
from openswerl.archive.download import fetch_hours
from servers import network
fetch_hours(sys.argv[3:], Path(sys.argv[2]), network(sys.argv[1]))
"""


def child(server, folder):
    tests = os.path.dirname(os.path.dirname(__file__))
    environment = {**os.environ, "PYTHONPATH": tests}
    return subprocess.Popen([sys.executable, "-c", CHILD, server.url, str(folder), *HOURS], env=environment)


@pytest.mark.parametrize("after", [0, 20_000, 150_000])
def test_a_killed_download_goes_on_where_it_was(server, tmp_path, after):
    reached = threading.Event()
    server.script[SECOND] = [stall(after, reached)]
    killed = child(server, tmp_path / "killed")
    assert reached.wait(60)
    part = tmp_path / "killed" / "2015-01-01-1.json.gz.part"
    while after and not (part.exists() and part.stat().st_size):
        pass
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    held = part.stat().st_size if part.exists() else 0
    server.asked.clear()
    found = fetch(server, tmp_path / "killed")
    assert server.paths() == [SECOND, THIRD], "the hour before is not asked for again"
    assert server.asked[0].headers.get("range") == (f"bytes={held}-" if held else None)
    whole = fetch(server, tmp_path / "whole")
    assert [hour.sha256 for hour in found] == [hour.sha256 for hour in whole]
    assert snapshot(tmp_path / "killed") == snapshot(tmp_path / "whole")


@pytest.mark.parametrize("keep_record", [True, False])
def test_a_kill_before_the_rename(server, tmp_path, keep_record):
    """The part is whole; its record is written already, or still that of the part."""
    path = fetch(server, tmp_path, HOURS[:1])[0].path
    before = snapshot(tmp_path)
    path.rename(tmp_path / "2015-01-01-0.json.gz.part")
    if not keep_record:
        record = json.loads((tmp_path / "2015-01-01-0.json").read_text())
        (tmp_path / "2015-01-01-0.json").write_text(json.dumps(record | {"state": "partial", "sha256": ""}))
    server.asked.clear()
    fetch(server, tmp_path, HOURS[:1])
    assert snapshot(tmp_path) == before
    assert [one.headers["range"] for one in server.asked] == ["bytes=300000-"]
