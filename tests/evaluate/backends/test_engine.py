from pathlib import Path

import pytest

from container_engines import DOCKER, Fake
from openswerl.errors import UserError
from openswerl.evaluate.backends import engine as engines
from openswerl.evaluate.backends.engine import Engine, Image, check_disk, look, pull, run_words, unpacked_bytes
from openswerl.evaluate.sandbox.watch import Limits

GIB = 1 << 30
LIMIT = "toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(tmp_path / "engine", "docker", DOCKER, monkeypatch)


def test_the_command_of_a_container() -> None:
    """As recorded from the documentation of `docker run`; it never ran against a real engine."""
    assert run_words("a/b:latest", "n", Limits(60, memory_bytes=8 * GIB, processes=512)) == [
        "run", "--rm", "-i", "--name", "n", "--network", "none",
        "--memory", "8589934592", "--memory-swap", "8589934592", "--pids-limit", "512",
        "--security-opt", "no-new-privileges", "a/b:latest", "/bin/bash", "-s",
    ]  # fmt: skip


def test_where_images_are(fake: Fake) -> None:
    denied = "denied: requested access to the resource is denied"
    errors = {"limited": LIMIT, "denied": denied, "down": "dial tcp: timeout"}
    fake.tell(here=("a",), registry={"b": [GIB, 2 * GIB]}, errors=errors)
    assert look(Engine(), "a") == Image("here") and look(Engine(), "b") == Image("registry", 9 * GIB)
    assert [look(Engine(), name).place for name in ("limited", "denied", "down", "absent")] == [
        "rate_limit", "missing", "unreachable", "missing",
    ]  # fmt: skip
    assert look(Engine(), "limited").message == LIMIT
    assert fake.calls()[0] == ["docker", None, "image", "inspect", "a"], "what is here is not asked of the registry"
    assert sum("manifest" in call for call in fake.calls()) == 6


def test_a_size_that_the_registry_does_not_tell_is_the_usual_one() -> None:
    assert unpacked_bytes('{"manifests": []}') == unpacked_bytes("no") == engines.USUAL_BYTES


def test_too_little_disk_is_told_before_anything_is_pulled(fake: Fake) -> None:
    large = [Image("registry", 1 << 60), Image("here"), Image("registry", 1)]
    with pytest.raises(UserError, match=r"need about 1073741824 GiB .* or set evaluate\.container\.prune=true"):
        check_disk(Engine(), large, None)
    check_disk(Engine(), large[1:], None)
    many = [Image("registry", 1 << 59)] * 9
    with pytest.raises(UserError, match="need about 1073741824 GiB"):
        check_disk(Engine(), many, at_once=2)


def test_a_remote_engine_s_disk_is_not_guessed(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    fake.tell(root="/nowhere")
    check_disk(Engine(), [Image("registry", 5 * GIB)], None)
    assert "cannot be seen from here; 5 GiB" in capsys.readouterr().out


def test_an_engine_that_is_absent_or_asleep_is_one_line(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.tell(root="")
    with pytest.raises(UserError, match=r"docker does not answer \(Cannot connect .*\): start it"):
        Engine().root()
    monkeypatch.setenv("PATH", str(fake.home))
    with pytest.raises(UserError, match="docker is not on PATH"):
        Engine().root()


def test_a_pull_that_fails_says_why(fake: Fake) -> None:
    fake.tell(here=("a",), registry={"b": [1]}, errors={"c": LIMIT})
    assert pull(Engine(), "a") is None and pull(Engine(), "b") is None and fake.here() == ["a", "b"]
    assert pull(Engine(), "c") == f"c: {LIMIT}"


def test_podman_is_another_program_and_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(tmp_path / "engine", "podman", DOCKER, monkeypatch)
    fake.tell(here=("a",))
    assert look(Engine("podman", "unix:///run/podman.sock"), "a").place == "here"
    assert fake.calls() == [["podman", "unix:///run/podman.sock", "image", "inspect", "a"]]


def test_an_engine_that_hangs_counts_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Fake(tmp_path / "engine", "docker", "#!/bin/sh\nexec sleep 60\n", monkeypatch)
    done = Engine().ask(["info"], timeout_s=0.3)
    assert done.returncode == 124 and "took over 0.3 s" in done.stderr
