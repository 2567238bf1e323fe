"""Nobody answers, or not as promised: proxies, names, ports, certificates, clocks, and cut connections."""

import contextlib
import json
import socket
import threading
from contextlib import contextmanager

import pytest

from misbehaving import (
    answered,
    ask,
    behaving,
    certificate,
    channel,
    half,
    half_unannounced,
    says,
    secure,
    serving,
    silent,
    slow_loris,
)
from openswerl.errors import UserError
from servers import hang_up

ELSEWHERE = "https://api.example.invalid/v1"


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("tls"))


@contextmanager
def closed_port():
    """A port of this machine that nobody else gets and that refuses connections."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def message(base_url: str, **changes) -> str:
    with pytest.raises(UserError) as caught:
        ask(channel(base_url), settings=serving(**changes))
    return str(caught.value)


def test_connection_refused():
    with closed_port() as port:
        assert message(f"http://127.0.0.1:{port}/v1") == (
            f"http://127.0.0.1:{port}/v1: nothing listens there (connection refused); start the server, or correct "
            "OPENAI_BASE_URL or rollout.endpoint.base_url"
        )


def test_a_server_that_comes_up_meanwhile_is_waited_for():
    with closed_port() as port:
        pass

    def serve():
        with socket.create_server(("127.0.0.1", port)) as listening, listening.accept()[0] as connection:
            connection.recv(2**16)
            connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    timer = threading.Timer(0.3, serve)
    timer.start()
    assert "answers 401" in message(f"http://127.0.0.1:{port}/v1", attempts=1000, max_wait_s=0.05)
    timer.join()


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_a_dead_proxy_is_named_by_its_variable_and_without_its_password(monkeypatch, variable):
    with closed_port() as port:
        monkeypatch.setenv(variable, f"http://me:secret@127.0.0.1:{port}")
        assert message(ELSEWHERE) == (
            f"{ELSEWHERE}: the proxy 127.0.0.1:{port} named by {variable} cannot be reached or refuses ([Errno 111] "
            f"Connect call failed ('127.0.0.1', {port})); correct or unset {variable}, or add api.example.invalid to "
            "NO_PROXY"
        )


def test_a_dead_proxy_stands_before_plain_http_too(monkeypatch):
    with closed_port() as port, behaving(says(answered())) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        assert f"the proxy 127.0.0.1:{port} named by HTTP_PROXY" in message(f"{server.url}/v1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert ask(channel(f"{server.url}/v1"))[0].text == "one"


def test_a_proxy_that_refuses_to_connect(monkeypatch):
    with behaving(says(answered())) as server:  # it knows no CONNECT
        monkeypatch.setenv("HTTPS_PROXY", server.url)
        assert message(ELSEWHERE) == (
            f"{ELSEWHERE}: the proxy 127.0.0.1:{server.server_port} named by HTTPS_PROXY cannot be reached or refuses "
            "(501 Unsupported method ('CONNECT')); correct or unset HTTPS_PROXY, or add api.example.invalid to NO_PROXY"
        )


def test_a_proxy_that_wants_a_password(monkeypatch):
    with behaving(lambda handler: handler.reply(407)) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url)
        assert message("http://api.example.invalid/v1") == (
            f"http://api.example.invalid/v1: the proxy 127.0.0.1:{server.server_port} named by HTTP_PROXY wants a user "
            "name and a password (407); put them into HTTP_PROXY as http://user:password@host:port"
        )


@pytest.mark.parametrize(
    ("value", "shown", "why"),
    [
        ("socks5://me:secret@127.0.0.1:9", "127.0.0.1:9", "SOCKS needs `pip install socksio`"),
        ("http://me:sec/ret@127.0.0.1:9", "(unreadable)", "no address http://host:port"),
        ("ftp://127.0.0.1:9", "127.0.0.1:9", "no address http://host:port"),
    ],
)
def test_a_proxy_that_is_none(monkeypatch, value, shown, why):
    monkeypatch.setenv("HTTPS_PROXY", value)
    assert message(ELSEWHERE) == (
        f"the proxy {shown} named by HTTPS_PROXY cannot be used ({why}); correct or unset HTTPS_PROXY, or add "
        "api.example.invalid to NO_PROXY"
    )


def test_a_host_that_goes_around_the_proxy_has_its_own_message(monkeypatch):
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert "nothing listens there (connection refused)" in message(f"http://127.0.0.1:{port}/v1")


@contextmanager
def tunnel(port: int):
    """A proxy that connects to a port of this machine, whatever is asked; yields its own port."""

    def relay(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(2**16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve() -> None:
        near, _ = listening.accept()
        with near, socket.create_connection(("127.0.0.1", port)) as far:
            near.recv(2**16)
            near.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=relay, args=(far, near))
            back.start()
            relay(near, far)
            back.join()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


def test_a_certificate_beyond_a_proxy_that_works(pem, monkeypatch):
    with behaving(says(answered())) as server:
        secure(server, pem)
        with tunnel(server.server_port) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy}")
            assert message(ELSEWHERE) == (
                f"{ELSEWHERE}: its certificate is not trusted (self-signed certificate); if it is yours, name its CA "
                "file in SSL_CERT_FILE"
            )


def test_no_such_host():
    assert message(ELSEWHERE) == (
        f"{ELSEWHERE}: there is no host api.example.invalid (DNS); check OPENAI_BASE_URL or rollout.endpoint.base_url, "
        "and the network"
    )


def test_a_certificate_of_ones_own(pem, monkeypatch):
    with behaving(says(answered())) as server:
        address = secure(server, pem)
        assert message(address) == (
            f"{address}: its certificate is not trusted (self-signed certificate); if it is yours, name its CA file in "
            "SSL_CERT_FILE"
        )
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        assert ask(channel(address))[0].text == "one"


def test_certificates_that_are_not_there(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent.pem")
    assert message(ELSEWHERE) == (
        "the certificates named by SSL_CERT_FILE cannot be read ([Errno 2] No such file or directory); correct or "
        "unset SSL_CERT_FILE"
    )


def test_https_to_a_server_of_plain_http():
    with behaving(says(answered())) as server:
        address = server.url.replace("http:", "https:") + "/v1"
        assert message(address) == (
            f"{address}: it speaks plain HTTP: use http:// in OPENAI_BASE_URL or rollout.endpoint.base_url"
        )


def fault(behaviour, capsys, **changes) -> tuple[str, int, str]:
    with behaving(behaviour) as server:
        (completion,) = ask(channel(f"{server.url}/v1"), settings=serving(**changes))
    return completion.fault, len(server.asked), capsys.readouterr().err.removeprefix(f"{server.url}/v1: ")


def test_no_byte_in_time(capsys):
    assert fault(silent, capsys, timeout_s=0.1) == (
        "too_slow",
        2,
        "no byte came within serving.timeout_s; raise it, lower serving.connections, or set serving.stream=true\n",
    )


def test_a_slow_loris_ends_though_bytes_keep_coming(capsys):
    assert fault(slow_loris, capsys, total_timeout_s=0.3) == (
        "too_slow",
        1,
        "an answer was not complete within serving.total_timeout_s=0.3; raise it, or lower model.max_response_tokens\n",
    )


def test_a_body_that_is_cut_off(capsys):
    whole = len(json.dumps(answered()))
    code, asked, said = fault(half(answered()), capsys)
    assert (code, asked) == ("broken_answer", 2)
    assert said == (
        "the connection ended before the answer was complete (peer closed connection without sending complete message "
        f"body (received {whole // 2} bytes, expected {whole})); try again later\n"
    )


def test_a_body_of_unknown_length_that_is_cut_off(capsys):
    assert fault(half_unannounced(answered()), capsys) == (
        "broken_answer",
        2,
        'the answer broke off in the middle (\'{"id": "1", "model": "tiny-1",\'); try again later\n',
    )


def test_a_server_that_hangs_up(capsys):
    assert fault(hang_up, capsys) == (
        "broken_answer",
        2,
        "the connection ended before the answer was complete (Server disconnected without sending a response.); try "
        "again later\n",
    )
