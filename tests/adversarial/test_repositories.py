"""Git repositories made to break what reads them: nothing of theirs is run, followed, or written outside."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from crawl.world import DIFF, Work, run_git
from openswerl.crawl.clone import Clone
from openswerl.crawl.git import GitError, command, environment, git
from openswerl.errors import UserError
from openswerl.evaluate.backends.checkouts import checkout
from openswerl.evaluate.execution.trees import read_tree
from openswerl.relate.tree import Tree, changes

NAMES = [
    "plain.py", "line\nbreak.py", 'quo"te.py', "quo'te.py", "tab\t.py", "back\\slash.py", "\u00fc\u0301.py",
    "\u202egnp.py", " lead.py", "trail.py ", "-rf.py", "--help", "$(touch trap).py", "`touch trap`.py", "a;b.py",
    "*.py", "[a].py", ":(glob)x", "..a.py", "a..", "...", "con.py", "x" * 200 + ".py", "d/" * 60 + "deep.py",
    "\x01\x7f.py", "\U0001f600.py",
]  # fmt: skip
# Settings that name a program.
RUNNERS = (
    "filter.evil.smudge filter.evil.clean filter.evil.process diff.evil.command diff.evil.textconv diff.external "
    "core.fsmonitor core.sshCommand core.pager core.editor core.gitProxy core.askPass core.alternateRefsCommand "
    "gpg.program gpg.ssh.program credential.helper uploadpack.packObjectsHook sequence.editor merge.evil.driver"
).split()
UNSAFE = ["../outside.py", "d/../../outside.py", "/outside.py", ".git/config", "d/.git/hooks/post-checkout"]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A script, and the file that it makes if somebody runs it."""
    script, sprung = tmp_path / "trap.sh", tmp_path / "sprung"
    script.write_text(f"#!/bin/sh\necho $0 $@ >> {sprung}\n")
    script.chmod(0o755)
    return script, sprung


def crafted(work: Work, path: str, mode: str = "100644", data: bytes = b"x") -> str:
    """Commit one file under a path that git's own commands would refuse."""
    sha = work.git("hash-object", "-w", "--stdin", stdin=data)
    kind = "blob"
    for name in reversed(path.split("/")) if not path.startswith("/") else [path]:
        entry = f"{mode} {name}\0".encode() + bytes.fromhex(sha)
        tree = work.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
        sha, mode, kind = tree, "40000", "tree"
    assert kind == "tree"
    return work.git("commit-tree", sha, "-m", "x")


def test_every_name_is_read_as_it_is(work: Work, tmp_path: Path, given: "Counter[str]") -> None:
    before = work.commit(dict.fromkeys(NAMES, "1\n"))
    after = work.commit(dict.fromkeys(NAMES, "2\n"), before, ref="refs/heads/main")
    with Clone(work.mirror(tmp_path / "a__b.git")) as clone:
        diff = clone.diff(before, after)
        assert sorted(file.path for file in diff.files) == sorted(NAMES)
        assert diff.patch == run_git(work.folder, *DIFF, before, after)
        assert set(Tree(clone, after).blobs) <= set(NAMES)
        assert changes(clone, "--max-count=1", after) == [frozenset(NAMES)]
    assert set(read_tree(tmp_path / "a__b.git", after)) == set(NAMES)
    checkout(tmp_path / "a__b.git", after, tmp_path / "out")
    assert {str(path.relative_to(tmp_path / "out")) for path in files_below(tmp_path / "out")} == set(NAMES)
    given["paths in repositories"] += len(NAMES)


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_path_that_leads_outside_is_refused(work: Work, tmp_path: Path, path: str, given: "Counter[str]") -> None:
    commit = crafted(work, path)
    clone = work.folder / ".git"
    with pytest.raises(UserError, match="unsafe path"):
        read_tree(clone, commit)
    before = set(tmp_path.rglob("*"))
    with pytest.raises(UserError, match=r"failed|damaged|invalid"):
        checkout(clone, commit, tmp_path / "out")
    assert all(new.is_relative_to(tmp_path / "out") for new in set(tmp_path.rglob("*")) - before)
    assert not files_below(tmp_path / "out") and not Path("/outside.py").exists()
    given["paths in repositories"] += 1


@pytest.mark.parametrize("target", ["../../../etc/passwd", "/etc/passwd", "..", ".git", "loop", "\n"])
def test_a_symbolic_link_is_never_followed(work: Work, tmp_path: Path, target: str, given: "Counter[str]") -> None:
    commit = work.commit({"loop": target}, mode="120000", ref="refs/heads/main")
    with Clone(work.folder / ".git") as clone:
        assert "loop" not in Tree(clone, commit).blobs
    assert read_tree(work.folder / ".git", commit)["loop"].data == target.encode()
    checkout(work.folder / ".git", commit, tmp_path / "out")
    assert os.readlink(tmp_path / "out" / "loop") == target
    given["paths in repositories"] += 1


def test_no_setting_of_a_clone_runs_anything(work: Work, tmp_path: Path, trap: tuple[Path, Path]) -> None:
    """Filters, drivers, hooks, signature checks, and an origin that is a command, which git asks for what it lacks."""
    script, sprung = trap
    attributes = "* filter=evil diff=evil merge=evil ident text eol=crlf\n"
    before = work.commit({"a.py": "1\n", ".gitattributes": attributes})
    after = work.commit({"a.py": "2\n"}, before, ref="refs/heads/main")
    clone = work.mirror(tmp_path / "a__b.git")
    settings = dict.fromkeys(RUNNERS, str(script))
    settings |= {
        "log.showSignature": "true", "filter.evil.required": "true", "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin", "remote.origin.promisor": "true", "protocol.ext.allow": "always",
        "remote.origin.url": f"ext::{script} x", "remote.origin.partialclonefilter": "blob:none",
    }  # fmt: skip
    for key, value in settings.items():
        run_git(clone, "config", key, value)
    for hook in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (clone / "hooks").mkdir(exist_ok=True)
        (clone / "hooks" / hook).symlink_to(script)
    head, _, message = run_git(clone, "cat-file", "commit", after).partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n\n"
    written = run_git(clone, "hash-object", "-t", "commit", "-w", "--stdin", stdin=head + signature + message)
    signed = written.decode().strip()
    with Clone(clone) as opened:
        assert b"+2" in opened.diff(before, signed).patch
        assert opened.content("12" * 20).text is None  # which is not there: git would ask its origin
        assert changes(opened, "--max-count=1", signed) == [frozenset(["a.py"])]
    assert read_tree(clone, signed)["a.py"].data == b"2\n"
    checkout(clone, signed, tmp_path / "out")
    assert (tmp_path / "out" / "a.py").read_bytes() in (b"2\n", b"2\r\n")
    assert not sprung.exists(), sprung.read_text()
    run_git(clone, "log", "-1", signed)
    assert sprung.exists()  # plain git fell into it


def test_a_missing_object_is_not_fetched_even_by_a_git_that_knows_no_better(
    work: Work, tmp_path: Path, trap: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_NO_LAZY_FETCH is younger than the oldest git that we take."""
    import subprocess

    script, sprung = trap
    work.commit({"a.py": "1\n"}, ref="refs/heads/main")
    clone = work.mirror(tmp_path / "a__b.git")
    for key, value in {
        "core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "protocol.ext.allow": "always", "remote.origin.url": f"ext::{script} x",
    }.items():  # fmt: skip
        run_git(clone, "config", key, value)
    old = {key: value for key, value in environment().items() if key != "GIT_NO_LAZY_FETCH"}
    ask = {"cwd": clone, "input": b"12" * 20 + b"\n", "capture_output": True}
    subprocess.run(command("cat-file", "--batch"), env=old, **ask)
    assert not sprung.exists()
    del old["GIT_ALLOW_PROTOCOL"]
    subprocess.run(command("cat-file", "--batch"), env=old, **ask)
    assert sprung.exists()


@pytest.mark.parametrize("key", ["core.bigFileThreshold=1", "diff.default.binary=true"])
def test_no_setting_of_a_clone_makes_text_binary(work: Work, tmp_path: Path, key: str) -> None:
    before = work.commit({"a.py": "1\n"})
    after = work.commit({"a.py": "2\n"}, before, ref="refs/heads/main")
    clone = work.mirror(tmp_path / "a__b.git")
    run_git(clone, "config", *key.split("="))
    with Clone(clone) as opened:
        assert b"\n-1\n+2\n" in opened.diff(before, after).patch


def test_attributes_inside_a_clone_are_refused(work: Work, tmp_path: Path) -> None:
    work.commit({"a.py": "1\n"}, ref="refs/heads/main")
    clone = work.mirror(tmp_path / "a__b.git")
    (clone / "info").mkdir(exist_ok=True)
    (clone / "info" / "attributes").write_text("*.py binary\n")
    with pytest.raises(GitError, match="info/attributes would change what git prints"), Clone(clone):
        pass


def test_a_submodule_is_never_followed(work: Work, tmp_path: Path) -> None:
    inner = Work(tmp_path / "inner")
    secret = inner.commit({"secret": "s\n"}, ref="refs/heads/main")
    modules = f'[submodule "m"]\n\tpath = m\n\turl = file://{inner.folder}\n\tupdate = !touch {tmp_path}/sprung\n'
    first = work.commit({".gitmodules": modules})
    commit = work.commit({"m": secret}, first, mode="160000", ref="refs/heads/main")
    clone = work.mirror(tmp_path / "a__b.git")
    run_git(clone, "config", "diff.submodule", "log")
    run_git(clone, "config", "submodule.recurse", "true")
    with Clone(clone) as opened:
        (changed,) = opened.diff(first, commit).files
        assert (changed.path, changed.new_mode, changed.new_blob) == ("m", "160000", secret)
        assert set(Tree(opened, commit).blobs) == {".gitmodules"}
    assert set(read_tree(clone, commit)) == {".gitmodules"}
    checkout(clone, commit, tmp_path / "out")
    assert list((tmp_path / "out" / "m").iterdir()) == [] and not (tmp_path / "sprung").exists()


@pytest.mark.slow
def test_a_hundred_thousand_files(work: Work, tmp_path: Path, given: "Counter[str]") -> None:
    lines = [b"blob\nmark :1\ndata 2\nx\n", b"commit refs/heads/main\ncommitter a <a@b> 1 +0000\ndata 1\nx\n"]
    lines += [b"M 100644 :1 d%d/f%d.py\n" % (number % 300, number) for number in range(100_000)]
    work.git("fast-import", "--quiet", stdin=b"".join(lines))
    commit = work.git("rev-parse", "main")
    start = time.monotonic()
    with Clone(work.folder / ".git") as clone:
        assert len(Tree(clone, commit).blobs) == 100_000
    assert len(read_tree(work.folder / ".git", commit)) == 100_000
    assert time.monotonic() - start < 120
    given["paths in repositories"] += 100_000
    assert git(work.folder / ".git", "rev-list", "--count", commit).strip() == b"1"
