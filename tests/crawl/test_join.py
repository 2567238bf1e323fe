import hashlib
import re

import msgspec
import pytest
from omegaconf import OmegaConf

from crawl.pulls import LIMITS, join_mirror, merged_pull, mirror
from crawl.world import DIFF, Work, run_git
from openswerl.crawl.clone import Clone
from openswerl.crawl.join import Joined, Unusable, join
from openswerl.records import Comment, Commit, Issue, MergedPull, PullRequest
from openswerl.redact import email_placeholder, redact_lines, secret_placeholder

TOKEN = "ghp_" + "aB3" * 12
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIB" * 8 + "\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def work(tmp_path) -> Work:
    return Work(tmp_path / "work")


def assert_is_gits(work: Work, item: Joined, base: str, head: str) -> None:
    record = item.pull_request
    assert record.merge_base == work.git("merge-base", base, head)
    patch = run_git(work.folder, *DIFF, record.merge_base, head)
    assert record.oracle_diff_sha256 == hashlib.sha256(patch).hexdigest()
    assert record.oracle_diff == patch.decode("utf-8", "replace")


def outcomes(item: Joined) -> dict[str, str]:
    return {file.path: file.outcome for file in item.pull_request.changed_files}


def test_a_plain_pull_request(work):
    base = work.commit({"a.py": "1\n", "b.py": "1\n"})
    middle = work.commit({"c.py": "3\n4\n"}, base)
    head = work.commit({"a.py": "2\n"}, middle)
    counts = {"commits": 2, "changed_files": 2, "additions": 3, "deletions": 1}
    item = join_mirror(work, base, head, **counts)
    assert_is_gits(work, item, base, head)
    record = item.pull_request
    assert (record.base_sha, record.head_sha, record.additions, record.deletions) == (base, head, 3, 1)
    assert record.commits == [Commit(middle, "change c.py\n"), Commit(head, "change a.py\n")]
    assert [(file.path, file.status, file.outcome) for file in record.changed_files] == [
        ("a.py", "M", "text"),
        ("c.py", "A", "text"),
    ]
    blobs = {blob.sha: blob for blob in item.blobs}
    assert [blobs[file.new_blob].content for file in record.changed_files] == ["2\n", "3\n4\n"]
    old = blobs[record.changed_files[0].old_blob]
    assert (old.content, old.sha256, old.size) == ("1\n", hashlib.sha256(b"1\n").hexdigest(), 2)
    assert (old.reason, old.redactions, record.flags, record.licence) == ("", 0, [], "")


def test_the_event_is_carried_over(work):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "2\n"}, base)
    event = {
        "file": "2015.json.gz",
        "offset": 99,
        "repo": "A/b",
        "repo_id": 5,
        "fork": True,
        "number": 3,
        "title": "t",
        "body": "b",
        "author": "ann",
        "author_type": "Bot",
        "merged_at": "2021-01-01T00:00:00Z",
        "base_ref": "dev",
        "default_branch": "main",
        "head_repo": "c/b",
        "head_repo_id": 6,
        "merge_commit_sha": "3" * 40,
        "labels": ["bug"],
        "issues": [Issue("A/b", 1, "it", "is")],
        "conversation": [Comment("review", "bob", "User", "2020", "", "fine")],
    }
    record = join_mirror(work, base, head, **event, flags=["reopened"]).pull_request
    assert {name: getattr(record, name) for name in event} == event
    assert record.flags == ["reopened"]
    assert (
        set(MergedPull.__struct_fields__)
        <= set(PullRequest.__struct_fields__)
        == set(event)
        | {
            *("base_sha", "head_sha", "merge_base", "commits", "changed_files", "additions", "deletions", "flags"),
            *("oracle_diff", "oracle_diff_sha256", "licence"),
        }
    )


def test_pitfall_11_merge_base_not_base_sha(work):
    fork = work.commit({"a.py": "1\n", "b.py": "1\n"})
    head = work.commit({"a.py": "3\n"}, work.commit({"a.py": "2\n"}, fork))
    base = work.commit({"b.py": "moved\n"}, fork)
    item = join_mirror(work, base, head, commits=2, changed_files=1, additions=1, deletions=1)
    assert_is_gits(work, item, base, head)
    assert item.pull_request.merge_base == fork != base
    assert outcomes(item) == {"a.py": "text"}
    assert item.pull_request.flags == []


def test_a_branch_that_merged_its_base(work):
    fork = work.commit({"a.py": "1\n", "b.py": "1\n"})
    base = work.commit({"b.py": "2\n"}, fork)
    own = work.commit({"a.py": "2\n"}, fork)
    head = work.commit({"a.py": "2\n", "b.py": "2\n"}, own, base)
    item = join_mirror(work, base, head, commits=2, changed_files=1)
    assert_is_gits(work, item, base, head)
    assert (item.pull_request.merge_base, item.pull_request.flags) == (base, [])
    assert [commit.sha for commit in item.pull_request.commits] == [own, head]


def test_pitfall_12_renames_are_told_and_counts_are_without(work):
    lines = "".join(f"line {n}\n" for n in range(40))
    base = work.commit({"old.py": lines, "gone.py": "x = 1\n", "copied.py": "y\n" * 30})
    head = work.commit({"old.py": None, "gone.py": None, "new.py": lines + "more\n", "other.py": "z\n" * 9}, base)
    item = join_mirror(work, base, head, changed_files=4, additions=50, deletions=41)
    assert_is_gits(work, item, base, head)
    assert [(file.path, file.status, file.renamed_from) for file in item.pull_request.changed_files] == [
        ("gone.py", "D", None),
        ("new.py", "A", "old.py"),
        ("old.py", "D", None),
        ("other.py", "A", None),
    ]
    assert item.pull_request.flags == []
    detected = run_git(work.folder, "diff", "-M", "--diff-filter=R", "--name-status", base, head).decode().split()
    assert detected[1:] == ["old.py", "new.py"]


def test_rename_detection_is_only_asked_for_where_there_may_be_one(work):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"b.py": "1\n"}, base)
    with Clone(mirror(work, base, head)) as clone:
        join(merged_pull(base, head), clone, LIMITS)
        assert clone.renamer is None


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d7a" * 16 + "\nsize 12345\n"
PAIRS = {
    "binary": (b"a\0b", b"a\0c", "binary"),
    "binary late": (b"x\n" * 9000 + b"\0\n", b"x\n" * 9000 + b"\0y\n", "binary"),
    "becomes binary": ("a\n", b"\0", "binary"),
    "not utf-8": (b"caf\xe9\n", "café\n", "not_utf8"),
    "utf-16": ("a\n".encode("utf-16"), "b\n".encode("utf-16"), "binary"),
    "crlf": ("a\r\nb\r\n", "a\r\nc\r\n", "text"),
    "crlf to lf": ("a\r\nb\r\n", "a\nb\n", "text"),
    "lone cr": ("a\rb\r", "a\rc\r", "text"),
    "no newline at the end": ("a\nb", "a\nc", "text"),
    "newline added at the end": ("a\nb", "a\nb\n", "text"),
    "byte order mark": ("\ufeffa\n", "\ufeffb\n", "text"),
    "becomes empty": ("a\n", "", "text"),
    "large": (b"x\n" * 600_000, "short\n", "too_large"),
    "lfs pointer": (LFS, LFS.replace("12345", "54321"), "lfs_pointer"),
    "talks of lfs": ("see " + LFS, "now " + LFS, "text"),
    "key": ("x\n", KEY, "private_key"),
    "key in latin-1": ("x\n", KEY.encode() + b"\xe9", "private_key"),
    "header of a key": ("x\n", "if '-----BEGIN RSA PRIVATE KEY-----' in text:\n", "text"),
}


@pytest.mark.parametrize("case", PAIRS)
def test_pitfall_13_every_file_has_an_outcome_and_text_is_kept_exactly(work, case):
    old, new, outcome = PAIRS[case]
    sides = [side.encode() if isinstance(side, str) else side for side in (old, new)]
    base = work.commit({"f": old, "keep.py": "1\n"})
    head = work.commit({"f": new, "keep.py": "2\n"}, base)
    item = join_mirror(work, base, head)
    assert outcomes(item) == {"f": outcome, "keep.py": "text"}
    blobs = {blob.sha256: blob for blob in item.blobs}
    for side in sides:
        blob = blobs[hashlib.sha256(side).hexdigest()]
        assert blob.size == len(side)
        assert blob.content is None or (blob.content.encode(), blob.reason) == (side, "")
    if outcome == "private_key":
        return
    assert_is_gits(work, item, base, head)
    if outcome == "text":
        assert all(blob.content is not None for blob in item.blobs)
    else:
        assert outcome in {blob.reason for blob in item.blobs}


def test_pitfall_13_modes_links_submodules_and_empty_files(work):
    base = work.commit({"tool": "#!\n", "logo": b"\0", "gone": "", "was_file": "x\n", "sub": "x\n"})
    head = base
    for files, mode in (
        ({"tool": "#!\n", "logo": b"\0"}, "100755"),
        ({"link": "tool", "was_file": "tool"}, "120000"),
        ({"sub": "2" * 40, "sub2": "3" * 40}, "160000"),
        ({"__init__.py": "", "gone": None}, "100644"),
    ):
        head = work.commit(files, head, mode=mode)
    item = join_mirror(work, base, head, commits=4, changed_files=8)
    assert_is_gits(work, item, base, head)
    assert outcomes(item) == {
        "__init__.py": "empty",
        "gone": "empty",
        "link": "symlink",
        "logo": "binary",
        "sub": "submodule",
        "sub2": "submodule",
        "tool": "mode_only",
        "was_file": "symlink",
    }
    modes = {file.path: (file.old_mode, file.new_mode) for file in item.pull_request.changed_files}
    assert modes["tool"] == ("100644", "100755") and modes["was_file"] == ("100644", "120000")
    assert modes["sub2"] == ("000000", "160000")
    assert {"2" * 40, "3" * 40}.isdisjoint(blob.sha for blob in item.blobs)
    assert item.pull_request.flags == []


def test_pitfall_13_paths_of_any_characters(work):
    names = ['a "b"\tc\\d.py', "ünïcode.py", "line\nbreak.py", ":f", "-x"]
    base = work.commit({"a.py": "1\n"})
    head = work.commit(dict.fromkeys(names, "1\n"), base)
    item = join_mirror(work, base, head)
    assert_is_gits(work, item, base, head)
    assert outcomes(item) == dict.fromkeys(names, "text")


def test_pitfall_14_huge_diffs_and_files_are_capped(work):
    base = work.commit({"a.py": "1\n", "b.js": ""})
    head = work.commit({"a.py": "2\n", "b.js": "x = 1;\r\n" * 5000}, base)
    tight, wide = ({"max_blob_bytes": 1000, "max_diff_bytes": size} for size in (10_000, 100_000))
    with Clone(mirror(work, base, head)) as clone:
        with pytest.raises(Unusable) as error:
            join(merged_pull(base, head), clone, OmegaConf.create(tight))
        assert error.value.reason == "diff_too_large"
        item = join(merged_pull(base, head), clone, OmegaConf.create(wide))
    assert outcomes(item) == {"a.py": "text", "b.js": "too_large"}
    [large] = [blob for blob in item.blobs if blob.reason]
    data = b"x = 1;\r\n" * 5000
    assert (large.content, large.size, large.sha256) == (None, len(data), hashlib.sha256(data).hexdigest())


def test_pitfall_22_the_licence_is_the_file_at_the_base(work):
    base = work.commit({"a.py": "1\n", "LICENSE": MIT})
    head = work.commit({"a.py": "2\n", "LICENSE": "All rights reserved."}, base)
    assert join_mirror(work, base, head).pull_request.licence == "MIT"


def test_pitfall_23_no_address_and_no_secret_is_stored(work):
    base = work.commit({"setup.py": "author_email='ann@gmail.com'\nx = 1\n", "ok.py": "1\n"})
    work.git("read-tree", base)
    added = f"author_email='ann@gmail.com'\nx = 2\ntoken = '{TOKEN}'\n# bob@gmail.com\n"
    blob = work.git("hash-object", "-w", "--stdin", stdin=added.encode())
    work.git("update-index", "--add", "--cacheinfo", f"100644,{blob},setup.py")
    message = f"Use {TOKEN}\n\nSigned-off-by: Ann <ann@gmail.com>\n"
    head = work.git("commit-tree", work.git("write-tree"), "-p", base, "-F", "-", stdin=message.encode())
    head = work.commit({"deploy.pem": KEY, "ok.py": "2\n"}, head)
    item = join_mirror(work, base, head)
    stored = msgspec.json.encode([item.pull_request, item.blobs]).decode()
    for private in ("ann@gmail.com", "bob@gmail.com", TOKEN, "MIIEpAIB"):
        assert private not in stored
    record, blobs = item.pull_request, {blob.sha: blob for blob in item.blobs}
    ann, hidden = email_placeholder("ann@gmail.com"), secret_placeholder(TOKEN)
    assert record.commits[0].message == f"Use {hidden}\n\nSigned-off-by: Ann <{ann}>\n"
    assert outcomes(item) == {"deploy.pem": "private_key", "ok.py": "text", "setup.py": "text"}
    content = f"author_email='{ann}'\nx = 2\ntoken = '{hidden}'\n# {email_placeholder('bob@gmail.com')}\n"
    assert (blobs[blob].content, blobs[blob].redactions, blobs[blob].size) == (content, 3, len(added))
    assert blobs[blob].sha256 == hashlib.sha256(added.encode()).hexdigest()
    raw = run_git(work.folder, *DIFF, base, head)
    assert record.oracle_diff_sha256 == hashlib.sha256(raw).hexdigest()
    assert f"+token = '{hidden}'\n" in record.oracle_diff and "+++ b/deploy.pem\ndiff --git" in record.oracle_diff


def test_pitfall_23_the_stored_diff_is_the_diff_of_the_stored_contents(work):
    """Byte for byte, apart from blob ids and the headings that git cuts."""
    lines = ["def f():", f"    return '{TOKEN}'", "# ann@gmail.com", "", "# bob@gmail.com", "# ann@gmail.com"] * 9
    changed = [*lines[:7], "new", *lines[9:30], "# eve@gmail.com", *lines[31:]]
    base = work.commit({"a.py": "\n".join(lines)})
    head = work.commit({"a.py": "\n".join(changed)}, base)
    record = join_mirror(work, base, head).pull_request
    hidden = [work.commit({"a.py": redact_lines("\n".join(side)).text}) for side in (lines, changed)]
    expected = run_git(work.folder, *DIFF, *hidden).decode()
    without = re.compile(r"^(@@ .* @@).*|^index .*", re.MULTILINE)
    assert without.sub(r"\1", record.oracle_diff) == without.sub(r"\1", expected)
    assert record.oracle_diff != run_git(work.folder, *DIFF, base, head).decode()


def test_pitfall_23_an_edit_in_the_middle_of_a_key_is_withheld_too(work):
    body = [f"MIIEpAIB{n:02d}" * 6 for n in range(20)]
    sides = [KEY.replace("\n-", "\n" + "\n".join(lines) + "\n-") for lines in (body, [*body[:9], *body[10:]])]
    base = work.commit({"id_rsa": sides[0]})
    record = join_mirror(work, base, work.commit({"id_rsa": sides[1]}, base)).pull_request
    assert (record.additions, record.deletions) == (0, 1)
    assert record.oracle_diff.endswith("--- a/id_rsa\n+++ b/id_rsa\n")


def test_a_path_that_holds_an_address_drops_the_pull_request(work):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"mail/ann@gmail.com/1": "1\n"}, base)
    with pytest.raises(Unusable) as error:
        join_mirror(work, base, head)
    assert error.value.reason == "personal_path"


def test_counts_that_git_does_not_confirm_are_told(work):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "2\n"}, base)
    item = join_mirror(work, base, head, commits=2, changed_files=1, additions=5, flags=["x"])
    assert item.pull_request.flags == ["x", "count_mismatch:additions", "count_mismatch:commits"]


def test_a_path_that_is_not_utf8(work):
    base = work.commit({"a.py": "1\n"})
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"x")
    work.git("update-index", "-z", "--index-info", stdin=b"100644 " + blob.encode() + b"\tcaf\xe9.py\0")
    head = work.git("commit-tree", work.git("write-tree"), "-p", base, "-m", "x")
    with pytest.raises(Unusable) as error:
        join_mirror(work, base, head)
    assert error.value.reason == "non_utf8_path"


def test_a_missing_blob_drops_the_pull_request_and_the_next_one_works(work):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "2\n"}, base)
    other = work.commit({"a.py": "3\n"}, base)
    path, blob = mirror(work, head, other), work.git("rev-parse", f"{head}:a.py")
    (path / "objects" / blob[:2] / blob[2:]).unlink()
    with Clone(path) as clone:
        with pytest.raises(Unusable) as error:
            join(merged_pull(base, head), clone, LIMITS)
        assert error.value.reason == "missing_object"
        assert outcomes(join(merged_pull(base, other), clone, LIMITS)) == {"a.py": "text"}


MIT = """MIT License

Copyright (c) 2014 Somebody Else

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""
