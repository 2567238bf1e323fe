import hashlib
import os

import pytest

from crawl.world import DIFF, Work, run_git
from openswerl.crawl.clone import Clone, Clones, Content
from openswerl.crawl.git import GitError, git, require_git
from openswerl.errors import UserError
from openswerl.redact import email_placeholder


@pytest.fixture
def work(tmp_path) -> Work:
    return Work(tmp_path / "work")


def open_mirror(work: Work) -> Clone:
    return Clone(work.mirror(work.folder.parent / "clones" / "a__b.git"))


def assert_same_diff(work: Work, clone: Clone, old: str, new: str) -> None:
    """Compare with what git prints by the command that expected records were made with."""
    diff = clone.diff(old, new)
    assert diff.patch == run_git(work.folder, *DIFF, old, new)
    numstat = run_git(work.folder, "diff", "--no-renames", "--numstat", "-z", old, new).split(b"\0")[:-1]
    counts = [[int(n) if n != b"-" else 0 for n in line.split(b"\t")[:2]] for line in numstat]
    assert (diff.additions, diff.deletions) == (sum(n for n, _ in counts), sum(n for _, n in counts))
    names = run_git(work.folder, "diff", "--no-renames", "--name-status", "-z", old, new).decode().split("\0")[:-1]
    assert [(file.status, file.path) for file in diff.files] == list(zip(names[::2], names[1::2], strict=True))


SIDES = {
    "text": ("a\nb\n", "a\nc\n"),
    "crlf": ("a\r\nb\r\n", "a\r\nc\r\n"),
    "no newline at end": ("a\nb", "a\nb\nc"),
    "binary": (b"a\0b", b"a\0c\nd"),
    "not utf-8": (b"caf\xe9\n", b"caf\xe8\n"),
    "added": (None, "x\n"),
    "added empty": (None, ""),
    "removed": ("x\ny\n", None),
    "like a diff": ("--- a/x\n", "+++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n#\n"),
    "nul late": (b"x\n" * 9000 + b"\0a\n", b"x\n" * 9000 + b"\0b\n"),
}


@pytest.mark.parametrize("case", SIDES)
@pytest.mark.parametrize("path", ["f.py", "d/e/f.py", 'a b\tc"d\\e.py', "ünïcode.py", ":f", "line\nbreak"])
def test_diff_is_what_git_diff_prints(work, case, path):
    old, new = ({path: side} if side is not None else {} for side in SIDES[case])
    before = work.commit({"keep": "k"} | old)
    after = work.commit({path: SIDES[case][1]}, before) if new or old else before
    with open_mirror_of(work, after) as clone:
        assert_same_diff(work, clone, before, after)
        assert_same_diff(work, clone, after, before)


def open_mirror_of(work: Work, *commits: str) -> Clone:
    for number, commit in enumerate(commits):
        work.git("update-ref", f"refs/pull/{number}/head", commit)
    return open_mirror(work)


def test_modes_types_and_renames(work):
    base = work.commit({"a.py": "x\n" * 20, "b.py": "y\n"})
    steps = [work.commit({"a.py": "x\n" * 20}, base, mode="100755")]
    steps.append(work.commit({"b.py": "a.py"}, steps[-1], mode="120000"))
    steps.append(work.commit({"sub": "1" * 40}, steps[-1], mode="160000"))
    steps.append(work.commit({"a.py": None, "c.py": "x\n" * 20}, steps[-1]))
    with open_mirror_of(work, *steps) as clone:
        for old, new in zip([base, *steps], steps, strict=False):
            assert_same_diff(work, clone, old, new)
        kinds = [clone.diff(old, new).files for old, new in zip([base, *steps], steps, strict=False)]
    assert [[(file.status, file.old_mode, file.new_mode) for file in files] for files in kinds] == [
        [("M", "100644", "100755")],
        [("T", "100644", "120000")],
        [("A", "000000", "160000")],
        [("D", "100755", "000000"), ("A", "000000", "100644")],
    ]
    assert kinds[3][0].new_blob is None and kinds[3][1].old_blob is None
    assert kinds[3][0].old_blob == kinds[3][1].new_blob


def test_contents(work):
    texts = {
        "t": "é\r\n".encode(),
        "b": b"a\0b",
        "l": b"caf\xe9",
        "e": b"",
        "big": b"x" * ((1 << 20) + 1),
        "full": b"x" * (1 << 20),
        "mail": b"by ann@gmail.com\n",
    }
    commit = work.commit(texts)
    blob = {path: work.git("rev-parse", f"{commit}:{path}") for path in texts}
    with open_mirror_of(work, commit) as clone:
        found = {path: clone.content(sha) for path, sha in blob.items()}
        small = clone.content(blob["t"], 3)
        assert clone.content("1" * 40) == Content(None, "missing_blob")
    assert {path: content.text for path, content in found.items()} == {
        "t": "é\r\n",
        "b": None,
        "l": None,
        "e": "",
        "big": None,
        "full": "x" * (1 << 20),
        "mail": f"by {email_placeholder('ann@gmail.com')}\n",
    }
    reasons = {path: content.reason for path, content in found.items() if content.reason}
    assert reasons == {"b": "binary", "l": "not_utf8", "big": "too_large"}
    assert {path: content.redactions for path, content in found.items() if content.redactions} == {"mail": 1}
    for path, data in texts.items():
        assert (found[path].sha256, found[path].size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert small == found["t"]._replace(text=None, reason="too_large")


def test_commit_messages_are_redacted_and_survive_any_encoding(work):
    tree = work.git("rev-parse", f"{work.commit({'a': '1'})}^{{tree}}")
    head = f"tree {tree}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\n".encode()
    texts = [b"by ann@gmail.com\n\nand more\n", b"caf\xe9\n", b""]
    commits = [work.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=head + text) for text in texts]
    with open_mirror_of(work, *commits) as clone:
        messages = [clone.commit(commit).message for commit in commits]
        assert clone.commit(tree) is None
    assert messages == [f"by {email_placeholder('ann@gmail.com')}\n\nand more\n", "caf\ufffd\n", ""]


def test_missing_objects(work, tmp_path):
    before, after = work.commit({"a": "1\n", "b": "1\n"}), ""
    after = work.commit({"a": "2\n"}, before, ref="refs/heads/main")
    later = work.commit({"b": "3\n"}, after, ref="refs/heads/main")
    path = work.mirror(tmp_path / "clones" / "a__b")
    blob = run_git(path, "rev-parse", f"{after}:a").decode().strip()
    (path / "objects" / blob[:2] / blob[2:]).unlink()
    with Clone(path) as clone:
        assert clone.commit("1" * 40) is None
        assert clone.content(blob) == Content(None, "missing_blob")
        with pytest.raises(GitError) as missing_side:
            clone.diff(before, after)
        with pytest.raises(GitError) as missing_commit:
            clone.diff(before, "1" * 40)
        assert_same_diff(work, clone, after, later)
    assert [error.value.reason for error in (missing_side, missing_commit)] == ["missing_object"] * 2


@pytest.mark.parametrize("data", [b"\n\n", b"tree\n", b"parent x\ntree y\n\nm", b"100644 a\0short"])
def test_malformed_objects_are_errors_of_git(work, data):
    """Nothing checks objects when a mirror is made."""
    kinds = ("commit", "tree")
    commit, tree = (work.git("hash-object", "-w", "--literally", "-t", kind, "--stdin", stdin=data) for kind in kinds)
    good = work.commit({"a": "1\n"})
    with Clone(work.folder / ".git") as clone:
        for read in (lambda: clone.commit(commit), lambda: clone.entries(tree), lambda: clone.diff(good, commit)):
            with pytest.raises(GitError):
                read()
        assert clone.content(work.git("rev-parse", f"{good}:a")).text == "1\n"


def test_a_broken_pack_costs_what_is_in_it_alone(work, tmp_path):
    """One commit is packed and damaged, the other is loose."""
    packed = work.commit({"a": "".join(f"{n}\n" for n in range(999))}, ref="refs/heads/main")
    work.git("repack", "-adq")
    loose = work.commit({"b": "1\n"}, ref="refs/heads/main")
    path = work.mirror(tmp_path / "clones" / "a__b.git")
    blob = work.git("rev-parse", f"{packed}:a")
    [pack] = path.glob("objects/pack/*.pack")
    line = next(
        line for line in work.git("verify-pack", "-v", str(pack.with_suffix(".idx"))).splitlines() if blob in line
    )
    pack.chmod(0o644)
    data, start = bytearray(pack.read_bytes()), int(line.split()[4])
    data[start + 20 : start + 60] = b"\xff" * 40
    pack.write_bytes(data)
    with Clone(path) as clone:
        for _ in range(2):
            with pytest.raises(GitError) as error:
                clone.content(blob)
            assert error.value.reason == "git_failed"
        assert clone.content(run_git(path, "rev-parse", f"{loose}:b").decode().strip()).text == "1\n"
        with pytest.raises(GitError):
            clone.diff(packed, loose)
        assert clone.diff(loose, loose).files == []


def test_a_huge_diff_is_refused_and_the_next_one_works(work):
    rows = b"".join(b"%064d\n" % n for n in range(270_000))
    before, after = work.commit({"a": ""}), ""
    after = work.commit({"a": rows}, before)
    small = work.commit({"a": "x\n"}, before)
    with open_mirror_of(work, after, small) as clone:
        with pytest.raises(GitError) as error:
            clone.diff(before, after)
        assert error.value.reason == "diff_too_large"
        assert_same_diff(work, clone, before, small)


def test_nothing_in_a_clone_is_run_and_no_setting_of_it_counts(work, tmp_path):
    trap = tmp_path / "trap"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\necho trapped\n")
    script.chmod(0o755)
    before = work.commit(
        {"a.py": "def f():\n" + "  x\n" * 9 + "  y\n", ".gitattributes": "*.py diff=evil\n*.py binary\n"}
    )
    after = work.commit({"a.py": "def f():\n" + "  x\n" * 9 + "  z\n", "é.py": "1\n"}, before, ref="refs/heads/main")
    plain = run_git(work.mirror(tmp_path / "plain.git"), *DIFF, before, after)
    work.git("checkout", "-q", "-f", "main")
    for key in (
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
    ):
        work.git("config", key, str(script))
    for key, value in {
        "core.quotePath": "false",
        "diff.noprefix": "true",
        "diff.algorithm": "patience",
        "diff.context": "0",
        "color.ui": "always",
        "diff.renames": "copies",
        "diff.indentHeuristic": "false",
        "core.hooksPath": str(tmp_path),
        "diff.suppressBlankEmpty": "true",
    }.items():
        work.git("config", key, value)
    work.git("replace", "-f", work.git("rev-parse", f"{after}:a.py"), work.git("rev-parse", f"{before}:a.py"))
    assert run_git(work.folder, "diff", before, after) != plain
    trap.unlink()  # plain git fell into it
    with Clones(folder_with(work, tmp_path)).open("A/b") as clone:
        assert clone.diff(before, after).patch == plain
        assert b"@@ def f():" in plain
        assert clone.content(
            run_git(tmp_path / "plain.git", "rev-parse", f"{after}:a.py").decode().strip()
        ).text.endswith("z\n")
        assert git(clone.path, "log", "-1", "--format=%H", "refs/heads/main", "--").decode().strip() == after
    assert not trap.exists()


def folder_with(work: Work, tmp_path):
    (tmp_path / "clones").mkdir()
    (tmp_path / "clones" / "a__B").symlink_to(work.folder)
    return tmp_path / "clones"


def test_the_environment_of_an_outer_git_does_not_matter(work, monkeypatch):
    before = work.commit({"a": "1\n"})
    after = work.commit({"a": "2\n"}, before)
    with open_mirror_of(work, after) as clone:
        expected = clone.diff(before, after)
    for key, value in {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_EXTERNAL_DIFF": "false",
        "LC_ALL": "xx",
    }.items():
        monkeypatch.setenv(key, value)
    with Clone(clone.path) as again:
        assert again.diff(before, after) == expected


def test_finding_clones(work, tmp_path):
    commit = work.commit({"a": "1"}, ref="refs/heads/main")
    folder = tmp_path / "clones"
    work.mirror(folder / "One__Bare.git")
    work.mirror(folder / "two__mirror")
    run_git(tmp_path, "clone", "-q", str(work.folder), str(folder / "three__with__scores"))
    (folder / "four__empty").mkdir()
    (folder / "five__file").write_text("")
    clones = Clones(folder)
    for repo in ("one/bare", "ONE/BARE", "Two/Mirror", "three/with__scores"):
        with clones.open(repo) as clone:
            assert clone.commit(commit) is not None
    reasons = {}
    for repo in ("four/empty", "five/file", "six/none"):
        with pytest.raises(GitError) as error, clones.open(repo):
            pass
        reasons[repo] = error.value
    assert [reasons[repo].reason for repo in reasons] == ["unreadable_clone", "no_clone", "no_clone"]
    assert reasons["six/none"].detail == (
        f"no clone of six/none in {folder}: git clone --mirror https://github.com/six/none {folder}/six__none.git"
    )


def test_an_empty_folder_inside_a_repository_is_no_clone(work):
    inner = work.folder / "clones" / "a__b"
    inner.mkdir(parents=True)
    with pytest.raises(GitError) as error, Clone(inner):
        pass
    assert error.value.reason == "unreadable_clone"


def test_git_is_required(monkeypatch, tmp_path):
    require_git()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="git is not on the PATH"):
        require_git()


def test_processes_end_with_the_clone(work):
    commit = work.commit({"a": "1"})
    with open_mirror_of(work, commit) as clone:
        assert clone.diff(commit, commit).patch == b"" and clone.renames(commit, commit) == {}
        ids = [item.process.pid for item in (clone.objects, clone.differ, clone.renamer)]
    for number in ids:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
