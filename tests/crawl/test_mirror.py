import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from openswerl.crawl.mirror import make_mirrors
from openswerl.disks import lock
from openswerl.errors import UserError
from servers import Server, hang_up, network, running, status


def git(folder, *arguments):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def host(tmp_path):
    """A folder that serves owner/name.git: each with a branch, and a pull request whose head only refs/pull knows."""
    root = tmp_path / "host"
    for repo in ("acme/tool", "acme/other", "bob/lib"):
        folder = root / f"{repo}.git"
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", ".")
        tree = git(folder, "mktree").strip()
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        head = git(folder, *author, "commit-tree", tree, "-m", repo).strip()
        pull = git(folder, *author, "commit-tree", tree, "-p", head, "-m", "pull").strip()
        git(folder, "update-ref", "refs/heads/main", head)
        git(folder, "update-ref", "refs/pull/7/head", pull)
        git(folder, "update-server-info")
    return root


@pytest.fixture
def settings(host):
    return network(f"file://{host}")


def refs(folder):
    return git(folder, "for-each-ref").splitlines()


def serve_folder(root):
    """Serve git's plain-file protocol."""

    def serve(handler, _):
        path = root / handler.path.partition("?")[0].removeprefix("/")
        handler.reply(200, path.read_bytes()) if path.is_file() else handler.reply(404)

    return serve


def test_a_mirror_has_the_heads_of_pull_requests(host, settings, tmp_path):
    assert make_mirrors(["acme/tool", "bob/lib"], tmp_path / "clones", settings) == {}
    for repo in ("acme/tool", "bob/lib"):
        mirror = tmp_path / "clones" / f"{repo.replace('/', '__')}.git"
        assert refs(mirror) == refs(host / f"{repo}.git")
        assert any("refs/pull/7/head" in line for line in refs(mirror))
        assert not (mirror / "hooks").exists()
        assert mirror.stat().st_mode & 0o777 == 0o755
        git(mirror, "fsck", "--strict")


def test_nothing_but_mirrors_is_left(settings, tmp_path):
    make_mirrors(["acme/tool", "no/such"], tmp_path / "clones", settings)
    assert sorted(path.name for path in (tmp_path / "clones").iterdir()) == [".lock", "acme__tool.git"]


def test_a_mirror_that_is_there_is_left_alone(host, settings, tmp_path):
    clones = tmp_path / "clones"
    make_mirrors(["acme/tool"], clones, settings)
    (clones / "Bob__Lib").mkdir()
    marker = clones / "acme__tool.git" / "marker"
    marker.touch()
    assert make_mirrors(["Acme/Tool", "bob/lib"], clones, settings) == {}
    assert marker.exists()
    assert sorted(path.name for path in clones.iterdir()) == [".lock", "Bob__Lib", "acme__tool.git"]


def test_one_name_in_two_cases_is_one_mirror(host, tmp_path):
    settings = network(f"file://{host}", connections=4)
    assert make_mirrors(["acme/tool", "acme/tool", "ACME/tool"], tmp_path / "clones", settings) == {}
    assert [path.name for path in (tmp_path / "clones").glob("*.git")] == ["acme__tool.git"]


@pytest.mark.parametrize("repo", ["../../etc", "acme/..", "acme/.", "acme", "a/b/c", "a b/c", ""])
def test_a_name_that_is_none(settings, tmp_path, repo):
    assert make_mirrors([repo], tmp_path / "clones", settings) == {repo: "bad_name"}


def test_a_repository_that_is_gone(settings, tmp_path):
    assert make_mirrors(["acme/gone", "acme/tool"], tmp_path / "clones", settings) == {"acme/gone": "repository_gone"}
    assert (tmp_path / "clones" / "acme__tool.git").is_dir()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(404), "repository_gone"),
        (status(401, WWW_Authenticate='Basic realm="GitHub"'), "repository_gone"),
        (status(403, b"Access to this repository has been disabled"), "repository_blocked"),
        (status(451), "repository_blocked"),
    ],
)
def test_what_github_says_of_it(host, tmp_path, answer, reason):
    with running() as server:
        server.serve = lambda handler, _: answer(handler)
        assert make_mirrors(["acme/tool"], tmp_path / "clones", network(server.url)) == {"acme/tool": reason}
        assert len(server.asked) == 1, "the answer is not asked for again"


def test_a_renamed_repository_is_followed(host, tmp_path):
    def renamed(handler, body):
        if handler.path.startswith("/old/name.git/"):
            return handler.reply(301, Location=handler.path.replace("/old/name.git/", "/acme/tool.git/"))
        serve_folder(host)(handler, body)

    with running(renamed) as server:
        assert make_mirrors(["old/name"], tmp_path / "clones", network(server.url)) == {}
    assert refs(tmp_path / "clones" / "old__name.git") == refs(host / "acme" / "tool.git")


@pytest.mark.parametrize("fault", [status(500), status(503), status(429), hang_up])
def test_a_fault_that_passes_is_tried_again(host, tmp_path, fault):
    with running(serve_folder(host)) as server:
        server.script["/acme/tool.git/info/refs?service=git-upload-pack"] = [fault, fault]
        assert make_mirrors(["acme/tool"], tmp_path / "clones", network(server.url)) == {}
    assert refs(tmp_path / "clones" / "acme__tool.git") == refs(host / "acme" / "tool.git")


def test_a_fault_that_stays(host, tmp_path, capsys):
    with running(serve_folder(host)) as server:
        server.script["/acme/tool.git/info/refs?service=git-upload-pack"] = [status(500)] * 9
        failed = make_mirrors(["acme/tool", "bob/lib"], tmp_path / "clones", network(server.url))
    assert failed == {"acme/tool": "clone_failed"}
    assert "warning: clone of acme/tool: " in (told := capsys.readouterr().err)
    assert "500, after 3 attempts" in told
    assert (tmp_path / "clones" / "bob__lib.git").is_dir()


def test_a_full_disk_ends_the_run(settings, tmp_path, monkeypatch):
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\necho 'fatal: write error: No space left on device' >&2\nexit 128\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    with pytest.raises(UserError, match="no space is left for clones; what was cloned is kept"):
        make_mirrors(["acme/tool"], tmp_path / "clones", settings)


def wait_forever(handler, _):
    handler.rfile.read(1)


def test_a_clone_that_takes_too_long_is_ended(tmp_path):
    with running(wait_forever) as server:
        failed = make_mirrors(["acme/tool"], tmp_path / "clones", network(server.url, clone_timeout_s=0.5))
        assert failed == {"acme/tool": "clone_timeout"}
        assert not processes(server)
    assert not list((tmp_path / "clones").glob("*acme*"))


def processes(server: Server) -> list[int]:
    """The processes that talk to the server: git, and what git started."""
    import psutil

    found = []
    for process in psutil.process_iter(["cmdline"]):
        if any(server.url in word for word in process.info["cmdline"] or []) and "git" in process.info["cmdline"][0]:
            found.append(process.pid)
    return found


def test_nothing_of_the_user_reaches_the_server(host, tmp_path, monkeypatch):
    """A password store, a .netrc, a header and a hook of the user's: none may be used, and nothing may be asked."""
    home, marker = tmp_path / "home", tmp_path / "marker"
    (home / "template" / "hooks").mkdir(parents=True)
    hook = home / "template" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    (home / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    config = f"""
[credential]\n\thelper = "!f() {{ touch {marker}; echo username=ada; echo password=secret; }}; f"
[http]\n\textraHeader = "X-Secret: secret"\n[init]\n\ttemplateDir = {home}/template\n[core]\n\taskPass = {hook}
[url "http://127.0.0.1:9/"]\n\tinsteadOf = http://127.0.0.1\n"""
    (home / ".gitconfig").write_text(config)
    for key, value in {"HOME": home, "SSH_ASKPASS": hook, "GIT_ASKPASS": hook, "GIT_TRACE": marker}.items():
        monkeypatch.setenv(key, str(value))

    with running(serve_folder(host)) as server:
        server.script["/acme/other.git/info/refs?service=git-upload-pack"] = [status(401, WWW_Authenticate="Basic")]
        failed = make_mirrors(["acme/tool", "acme/other"], tmp_path / "clones", network(server.url))
    assert failed == {"acme/other": "repository_gone"}
    assert not marker.exists()
    for one in server.asked:
        assert not {"authorization", "x-secret"} & one.headers.keys()
    assert not list((tmp_path / "clones").rglob("post-checkout"))


@pytest.mark.parametrize("address", ["ext::sh -c true", "ssh://host", "git@github.com:", "/a/folder", ""])
def test_another_way_to_clone_is_refused(tmp_path, address):
    with pytest.raises(UserError, match="must start with one of https, http, file"):
        make_mirrors(["acme/tool"], tmp_path, network(address))


def test_two_runs_do_not_clone_to_one_folder(settings, tmp_path):
    with lock(tmp_path / "clones"), pytest.raises(UserError, match="being written by another process"):
        make_mirrors(["acme/tool"], tmp_path / "clones", settings)


CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from pathlib import Path
from openswerl.crawl.mirror import make_mirrors
from servers import network
make_mirrors(["acme/other", "acme/tool", "bob/lib"], Path(sys.argv[2]), network(sys.argv[1]))
"""


def child(server, clones):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(__file__))}
    arguments = [sys.executable, "-c", CHILD, server.url, str(clones)]
    return subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL)


def test_an_interrupt_ends_git_too(tmp_path):
    reached = threading.Event()

    def stall(handler, _):
        reached.set()
        wait_forever(handler, _)

    with running(stall) as server:
        interrupted = child(server, tmp_path / "clones")
        assert reached.wait(60)
        interrupted.send_signal(signal.SIGINT)
        assert interrupted.wait(timeout=60)
        assert not processes(server)
    assert not list((tmp_path / "clones").glob("*acme*"))


def test_a_killed_clone_leaves_nothing_that_counts(host, tmp_path):
    reached, clones = threading.Event(), tmp_path / "clones"

    def stall(handler):
        reached.set()
        handler.rfile.read(1)

    with running(serve_folder(host)) as server:
        server.script["/acme/tool.git/HEAD"] = [stall]
        killed = child(server, clones)
        assert reached.wait(60)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        orphans = processes(server)
        assert sorted(path.name for path in clones.glob("[!.]*")) == ["acme__other.git"]
        assert list(clones.glob(".acme__tool.*.partial"))
        server.asked.clear()
        assert make_mirrors(["acme/other", "acme/tool", "bob/lib"], clones, network(server.url)) == {}
        assert not [path for path in server.paths() if path.startswith("/acme/other.git")]
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    make_mirrors([], clones, network(server.url))
    assert sorted(path.name for path in clones.iterdir()) == [
        ".lock",
        "acme__other.git",
        "acme__tool.git",
        "bob__lib.git",
    ]
    for repo in ("acme/other", "acme/tool", "bob/lib"):
        assert refs(clones / f"{repo.replace('/', '__')}.git") == refs(host / f"{repo}.git")
