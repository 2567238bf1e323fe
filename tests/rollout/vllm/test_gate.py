import asyncio

import pytest

from openswerl.rollout.vllm.gate import KEY_VARIABLE, Gate


def status(path, headers):
    """What a client sees of a server behind the gate that answers everything with 200."""
    seen = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        seen.append(message)

    asyncio.run(Gate(app)({"type": "http", "path": path, "headers": headers}, None, send))
    return seen[0]["status"]


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "abc")


@pytest.mark.parametrize("path", ["/collective_rpc", "/v1/completions", "/sleep", "/health/x", "//health"])
def test_only_the_key_opens_it(path):
    assert status(path, [(b"authorization", b"Bearer abc")]) == 200
    for value in (b"Bearer abcd", b"Bearer ab", b"abc", b"", b"Bearer \xff"):
        assert status(path, [(b"authorization", value)]) == 401
    assert status(path, []) == 401


def test_health_is_public():
    assert status("/health", []) == 200


def test_a_gate_without_a_key_does_not_open(monkeypatch):
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(KeyError):
        Gate(None)
