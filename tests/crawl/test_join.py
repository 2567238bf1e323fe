import hashlib

import pytest

from crawl.world import DIFF, Work, pull_record, run_git, write_hour
from openswerl.crawl.clone import Clone
from openswerl.crawl.events import Event, read_events
from openswerl.crawl.join import Joined, Unusable, join
from openswerl.records import Issue


@pytest.fixture
def work(tmp_path) -> Work:
    return Work(tmp_path / "work")


def event(tmp_path, base: str, head: str, **pull) -> Event:
    [found] = read_events(write_hour(tmp_path / "h.json.gz", pull_record("a/b", 1, base, head, **pull)))
    assert isinstance(found, Event)
    return found


def joined(work: Work, tmp_path, base: str, head: str, **pull) -> Joined:
    """Join against a mirror in which the head is reachable from refs/pull alone."""
    work.git("update-ref", "refs/heads/main", base)
    work.git("update-ref", "refs/pull/1/head", head)
    with Clone(work.mirror(tmp_path / "clones" / "a__b.git")) as clone:
        return join(event(tmp_path, base, head, **pull), [], clone)


def assert_is_gits(work: Work, item: Joined, base: str, head: str) -> None:
    record = item.pull_request
    assert record.merge_base == work.git("merge-base", base, head)
    patch = run_git(work.folder, *DIFF, record.merge_base, head)
    assert record.oracle_diff_sha256 == hashlib.sha256(patch).hexdigest()
    assert record.oracle_diff == patch.decode("utf-8", "replace")


def test_a_plain_pull_request(work, tmp_path):
    base = work.commit({"a.py": "1\n", "b.py": "1\n"})
    head = work.commit({"a.py": "2\n", "c.py": "3\n4\n"}, base)
    item = joined(
        work,
        tmp_path,
        base,
        head,
        title="T",
        body="B",
        commits=1,
        changed_files=2,
        additions=3,
        deletions=1,
        user={"login": "bob", "type": "Bot"},
        merged_at="2021-01-01T00:00:00Z",
    )
    assert_is_gits(work, item, base, head)
    record = item.pull_request
    assert (record.repo, record.number, record.title, record.body) == ("a/b", 1, "T", "B")
    assert (record.author, record.author_type, record.base_ref) == ("bob", "Bot", "main")
    assert (record.base_sha, record.head_sha, record.merged_at) == (base, head, "2021-01-01T00:00:00Z")
    assert (record.additions, record.deletions, item.mismatches) == (3, 1, [])
    assert [(file.path, file.status) for file in record.changed_files] == [("a.py", "M"), ("c.py", "A")]
    assert {item.contents[file.new_blob].text for file in record.changed_files} == {"2\n", "3\n4\n"}
    assert item.contents[record.changed_files[0].old_blob].text == "1\n"


def test_the_base_branch_moved_on(work, tmp_path):
    fork = work.commit({"a.py": "1\n", "b.py": "1\n"})
    head = work.commit({"a.py": "3\n"}, work.commit({"a.py": "2\n"}, fork))
    base = work.commit({"b.py": "moved\n"}, fork)
    item = joined(work, tmp_path, base, head, commits=2, changed_files=1, additions=1, deletions=1)
    assert_is_gits(work, item, base, head)
    assert item.pull_request.merge_base == fork != base
    assert [file.path for file in item.pull_request.changed_files] == ["a.py"]
    assert item.mismatches == []


def test_a_branch_that_merged_its_base(work, tmp_path):
    fork = work.commit({"a.py": "1\n", "b.py": "1\n"})
    base = work.commit({"b.py": "2\n"}, fork)
    head = work.commit({"a.py": "2\n", "b.py": "2\n"}, work.commit({"a.py": "2\n"}, fork), base)
    item = joined(work, tmp_path, base, head, commits=2, changed_files=1)
    assert_is_gits(work, item, base, head)
    assert (item.pull_request.merge_base, item.mismatches) == (base, [])


def test_a_squashed_head_is_in_a_mirror_and_missing_from_a_plain_clone(work, tmp_path):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "3\n"}, work.commit({"a.py": "2\n"}, base))
    squashed = work.commit({"a.py": "3\n"}, base)
    work.git("update-ref", "refs/heads/main", squashed)
    assert_is_gits(work, joined(work, tmp_path, base, head), base, head)
    run_git(tmp_path, "clone", "-q", "--no-local", str(work.folder), str(tmp_path / "plain"))
    with Clone(tmp_path / "plain" / ".git") as clone, pytest.raises(Unusable) as error:
        join(event(tmp_path, base, head), [], clone)
    assert error.value.reason == "missing_commit"


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        (b"a\0b", b"a\0c", ["binary"]),
        (b"caf\xe9\n", "café\n".encode(), ["not_utf8"]),
        (b"a\r\nb\r\n", b"a\r\nc\r\n", []),
        (b"a\nb", b"a\nc", []),
        (b"x" * 2_000_000, b"short\n", ["blob_too_large"]),
    ],
)
def test_contents_that_are_text_and_that_are_not(work, tmp_path, old, new, reasons):
    base = work.commit({"f": old})
    head = work.commit({"f": new}, base)
    item = joined(work, tmp_path, base, head)
    assert_is_gits(work, item, base, head)
    found = {content.reason for content in item.contents.values() if content.text is None}
    assert found == set(reasons)
    texts = {content.text.encode() for content in item.contents.values() if content.text is not None}
    assert texts <= {old, new} and len(item.contents) == 2


def test_rename_mode_symlink_submodule(work, tmp_path):
    base = work.commit({"old.py": "x\n" * 9, "tool": "#!\n"})
    head = work.commit({"old.py": None, "new.py": "x\n" * 9}, base)
    head = work.commit({"tool": "#!\n"}, head, mode="100755")
    head = work.commit({"link": "tool"}, head, mode="120000")
    head = work.commit({"sub": "2" * 40}, head, mode="160000")
    item = joined(work, tmp_path, base, head, commits=4, changed_files=5)
    assert_is_gits(work, item, base, head)
    assert [(file.path, file.status, file.new_mode) for file in item.pull_request.changed_files] == [
        ("link", "A", "120000"),
        ("new.py", "A", "100644"),
        ("old.py", "D", "000000"),
        ("sub", "A", "160000"),
        ("tool", "M", "100755"),
    ]
    assert sorted(content.text for content in item.contents.values()) == ["#!\n", "tool", "x\n" * 9]
    assert item.mismatches == []


def test_counts_that_git_does_not_confirm_are_told(work, tmp_path):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "2\n"}, base)
    item = joined(work, tmp_path, base, head, commits=2, changed_files=1, additions=5)
    assert item.mismatches == ["additions: 5 in the event, 1 in git", "commits: 2 in the event, 1 in git"]


@pytest.mark.parametrize("sha", ["", "HEAD", "a" * 39, "A" * 40, "a" * 40 + "\n", "--upload-pack=x", "../../x"])
def test_what_is_no_sha_never_reaches_git(work, tmp_path, sha):
    base = work.commit({"a.py": "1\n"})
    work.git("update-ref", "refs/heads/main", base)
    with Clone(work.mirror(tmp_path / "m.git")) as clone, pytest.raises(Unusable) as error:
        join(event(tmp_path, base, sha), [], clone)
    assert error.value.reason == "bad_sha"


def test_histories_without_a_common_commit(work, tmp_path):
    base, head = work.commit({"a.py": "1\n"}), work.commit({"b.py": "1\n"})
    with pytest.raises(Unusable) as error:
        joined(work, tmp_path, base, head)
    assert error.value.reason == "no_merge_base"


def test_a_path_that_is_not_utf8(work, tmp_path):
    base = work.commit({"a.py": "1\n"})
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"x")
    work.git("update-index", "-z", "--index-info", stdin=b"100644 " + blob.encode() + b"\tcaf\xe9.py\0")
    head = work.git("commit-tree", work.git("write-tree"), "-p", base, "-m", "x")
    with pytest.raises(Unusable) as error:
        joined(work, tmp_path, base, head)
    assert error.value.reason == "non_utf8_path"


def test_a_missing_blob_drops_the_pull_request(work, tmp_path):
    base = work.commit({"a.py": "1\n"})
    head = work.commit({"a.py": "2\n"}, base)
    work.git("update-ref", "refs/pull/1/head", head)
    work.git("update-ref", "refs/heads/main", base)
    clone = work.mirror(tmp_path / "m.git")
    blob = work.git("rev-parse", f"{head}:a.py")
    (clone / "objects" / blob[:2] / blob[2:]).unlink()
    with Clone(clone) as opened, pytest.raises(Unusable) as error:
        join(event(tmp_path, base, head), [Issue("a/b", 1, "", "")], opened)
    assert error.value.reason == "missing_object"
