import gzip
import hashlib
import json
from pathlib import Path

import pytest

from crawl.world import Work, dumps, issue_record, pull_record, write_hour
from openswerl.config import Cell
from openswerl.crawl.run import POOL_BYTES, read_archive, run
from openswerl.edits import minimal_blocks, render
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.records import Blob, PullRequest, read_parquet
from openswerl.reward import score
from openswerl.stage import Job


def crawl(out: Path, hours: Path, clones: Path) -> dict:
    cell = Cell("crawl", ("data=local", f"data.path={hours}", f"data.clones={clones}"))
    return run(Job(cell.view(), out, {}, "digest"))


@pytest.fixture
def world(tmp_path) -> Path:
    """Two repositories and two hour files with one fault of each kind."""
    work = Work(tmp_path / "work")
    base = work.commit({"a.py": "1\n", "logo.png": b"\0"}, ref="refs/heads/main")
    head = work.commit({"a.py": "2\n", "logo.png": b"\0\1"}, base, ref="refs/pull/1/head")
    work.mirror(tmp_path / "clones" / "acme__Widget.git")
    (tmp_path / "clones" / "acme__broken").mkdir()
    undecided = pull_record("acme/widget", 5)
    del undecided["payload"]["pull_request"]["merged"]
    write_hour(
        tmp_path / "hours" / "2020-01-01-0.json.gz",
        pull_record("Acme/widget", 1, base, head, body="Fixes #9", changed_files=2, commits=7),
        pull_record("acme/widget", 2, base, "2" * 40),
        undecided,
        b"torn {",
        pull_record("acme/gone", 3),
        pull_record("acme/gone", 4),
        pull_record("acme/broken", 6),
    )
    write_hour(tmp_path / "hours" / "2020-01-01-1.json.gz", issue_record("acme/widget", 9, "Wrong", "It is 1."))
    (tmp_path / "hours" / "2020-01-01-2.json.gz").write_bytes(b"AASDSADS")
    (tmp_path / "hours" / "notes.txt").write_text("no hour file")
    return tmp_path


def test_everything_is_kept_or_counted(world, capsys):
    result = crawl(world / "out", world / "hours", world / "clones")
    [pull] = read_parquet(world / "out" / "pull_requests.parquet", PullRequest)
    assert (pull.repo, pull.number, pull.issues[0].title, pull.issues[0].number) == ("Acme/widget", 1, "Wrong", 9)
    blobs = {blob.sha: blob.content for blob in read_parquet(world / "out" / "blobs.parquet", Blob)}
    contents = [(file.path, blobs[file.old_blob], blobs[file.new_blob]) for file in pull.changed_files]
    assert contents == [("a.py", "1\n", "2\n"), ("logo.png", None, None)]
    rows = read_jsonl(world / "out" / "quarantine.jsonl")
    assert [(row["file"][-9:], row["reason"], row["sample"]) for row in rows] == [
        ("0.json.gz", "not_json", "torn {"),
        ("2.json.gz", "not_gzip", ""),
        ("0.json.gz", "needs_enrichment", "acme/widget#5"),
        ("0.json.gz", "unreadable_clone", "acme/broken#6"),
        ("0.json.gz", "no_clone", "acme/gone#3"),
        ("0.json.gz", "no_clone", "acme/gone#4"),
        ("0.json.gz", "missing_commit", "acme/widget#2"),
        ("0.json.gz", "count_mismatch", "Acme/widget#1 commits: 7 in the event, 1 in git"),
    ]
    assert all(set(row) == {"file", "offset", "reason", "sample"} for row in rows)
    assert result == {
        "hour_files": 3,
        "events": {"IssuesEvent": 1, "PullRequestEvent": 6},
        "merged": 5,
        "pull_requests": 1,
        "linked_issues": {"all": 1, "with_text": 1},
        "blobs": 4,
        "blobs_without_text": {"binary": 2},
        "quarantine": {
            "count_mismatch": 1,
            "missing_commit": 1,
            "needs_enrichment": 1,
            "no_clone": 2,
            "not_gzip": 1,
            "not_json": 1,
            "unreadable_clone": 1,
        },
    }
    broken, gone = sorted(capsys.readouterr().err.splitlines())
    assert broken.startswith(f"crawl: warning: {world}/clones/acme__broken is not a readable clone: ")
    target = f"{world}/clones/acme__gone.git"
    assert gone == (
        f"crawl: warning: no clone of acme/gone in {world}/clones: "
        f"git clone --mirror https://github.com/acme/gone {target}"
    )


def test_offsets_point_at_the_record(world):
    crawl(world / "out", world / "hours", world / "clones")
    [row] = [row for row in read_jsonl(world / "out" / "quarantine.jsonl") if row["reason"] == "missing_commit"]
    data = gzip.decompress((world / "hours" / row["file"]).read_bytes())
    assert json.loads(data[row["offset"] :].partition(b"\n")[0])["payload"]["number"] == 2


def test_same_input_same_bytes(world):
    names = ("pull_requests.parquet", "blobs.parquet", "quarantine.jsonl", "repositories.jsonl")
    for out in ("one", "two"):
        crawl(world / out, world / "hours", world / "clones")
    for name in names:
        assert (world / "one" / name).read_bytes() == (world / "two" / name).read_bytes()


def test_the_laptop_world_is_found_by_itself(world):
    (world / "hours").rename(world / "gharchive")
    (world / "clones").rename(world / "repos")
    assert run(Job(Cell("crawl").view(), world / "out", {"laptop": world}, "digest"))["pull_requests"] == 1


def test_missing_folders_are_told(tmp_path):
    with pytest.raises(UserError, match=r"data\.path=.*none is not a folder"):
        crawl(tmp_path, tmp_path / "none", tmp_path)
    with pytest.raises(UserError, match=r"data\.path=.* holds no \*\.json\.gz"):
        crawl(tmp_path, tmp_path, tmp_path)
    write_hour(tmp_path / "h.json.gz")
    with pytest.raises(UserError, match=r"data\.clones=.*none is not a folder"):
        crawl(tmp_path, tmp_path, tmp_path / "none")


def test_an_archive_without_pull_requests_is_an_empty_result(tmp_path):
    write_hour(tmp_path / "h.json.gz", issue_record("a/b", 1, "t", "b"))
    assert crawl(tmp_path / "out", tmp_path, tmp_path)["pull_requests"] == 0
    assert read_parquet(tmp_path / "out" / "pull_requests.parquet", PullRequest) == []


def test_many_bytes_are_read_in_processes_with_the_same_result(tmp_path):
    filler = hashlib.shake_256(b"x").digest(POOL_BYTES // 3).hex().encode()
    files = []
    for n in range(3):
        push = b'{"id":"1","type":"PushEvent","x":"' + filler + b'"}'
        files.append(
            write_hour(tmp_path / f"{n}.json.gz", pull_record("a/b", n + 1), push, dumps(pull_record("c/d", 1)))
        )
    assert sum(file.stat().st_size for file in files) > POOL_BYTES
    together = read_archive(files)
    assert sorted(number for _, number in together.merged) == [1, 1, 2, 3]
    alone = [read_archive([file]) for file in files]
    assert together.events == {"PullRequestEvent": sum(one.events["PullRequestEvent"] for one in alone)}


EXPECTED_CLONES = {
    "kragniz/json-sempai",
    "isaacg1/pyth",
    "jonathanbratt/wordpiece",
    "epeli/underscore.string",
    "uber/charlatan",
    "ucb-sejits/ctree",
}


@pytest.fixture
def real(gharchive, real_clones, tmp_path) -> tuple[list[PullRequest], dict[str, str | None], dict]:
    crawl(tmp_path, gharchive, real_clones)
    blobs = {blob.sha: blob.content for blob in read_parquet(tmp_path / "blobs.parquet", Blob)}
    records = json.loads((gharchive / "expected.json").read_text())["records"]
    expected = {(record["repo"], record["number"]): record for record in records if record["repo"] in EXPECTED_CLONES}
    return read_parquet(tmp_path / "pull_requests.parquet", PullRequest), blobs, expected


def test_real_pull_requests_equal_the_expected_records(real):
    pulls, blobs, expected = real
    found = {(pull.repo.lower(), pull.number): pull for pull in pulls}
    assert len(expected) == 7 and expected.keys() <= found.keys()
    for key, record in expected.items():
        pull = found[key]
        for name in ("base_sha", "head_sha", "merge_base", "merged_at", "title", "oracle_diff_sha256"):
            assert getattr(pull, name) == record[name]
        assert hashlib.sha256(pull.body.encode()).hexdigest() == record["pr_body_sha256"]
        assert (pull.additions, pull.deletions) == (
            record["git_counts"]["additions"],
            record["git_counts"]["deletions"],
        )
        fields = ("path", "status", "old_mode", "new_mode", "old_blob", "new_blob")
        assert [[getattr(file, name) for name in fields] for file in pull.changed_files] == [
            [file[name] for name in fields] for file in record["files"]
        ]
        for file in record["files"]:
            if "old_sha256" in file:
                assert hashlib.sha256((blobs[file["old_blob"]] or "").encode()).hexdigest() == file["old_sha256"]


def test_real_gold_edits_score_exactly_one(real):
    pulls, blobs, expected = real
    scored = 0
    for pull in pulls:
        old = {file.path: blobs[file.old_blob] if file.old_blob else "" for file in pull.changed_files}
        new = {file.path: blobs[file.new_blob] if file.new_blob else "" for file in pull.changed_files}
        if None in old.values() or None in new.values():
            continue
        assert score(old, new, render("gold", minimal_blocks(old, new))).reward == 1.0
        scored += 1
    assert scored == len(pulls) >= len(expected)
