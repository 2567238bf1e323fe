import gzip
import json
from pathlib import Path

import pytest

from crawl.stages import bytes_of, crawl, crawl_archive, make_archive
from crawl.world import Work, issue_record, pull_record, run_git, write_hour
from github_server import graphql_shape
from openswerl.config import Cell
from openswerl.crawl import run as crawl_stage
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.parquet import read_parquet
from openswerl.records import Blob, PullRequest
from openswerl.stage import Job
from servers import network


@pytest.fixture
def world(tmp_path) -> Path:
    """Two repositories and three hour files with one fault of each kind."""
    work = Work(tmp_path / "work")
    base = work.commit({"a.py": "1\n", "logo.png": b"\0"}, ref="refs/heads/main")
    head = work.commit({"a.py": "2\n", "logo.png": b"\0\1"}, base, ref="refs/pull/1/head")
    work.mirror(tmp_path / "clones" / "acme__Widget.git")
    (tmp_path / "clones" / "acme__broken").mkdir()
    undecided = pull_record("acme/widget", 5)
    del undecided["payload"]["pull_request"]["merged"]
    undecided["payload"]["pull_request"]["merged_at"] = None
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
    result = crawl(world, world / "out")
    [pull] = read_parquet(world / "out" / "pull_requests.parquet", PullRequest)
    assert (pull.repo, pull.number, pull.issues[0].title, pull.issues[0].number) == ("Acme/widget", 1, "Wrong", 9)
    blobs = {blob.sha: blob.content for blob in read_parquet(world / "out" / "blobs.parquet", Blob)}
    contents = [(file.path, blobs[file.old_blob], blobs[file.new_blob]) for file in pull.changed_files]
    assert contents == [("a.py", "1\n", "2\n"), ("logo.png", None, None)]
    rows = read_jsonl(world / "out" / "quarantine.jsonl")
    assert [(row["file"], row["reason"], row["sample"]) for row in rows] == [
        ("2020-01-01-0.json.gz", reason, sample)
        for reason, sample in [
            ("needs_enrichment", "acme/widget#5"),
            ("unreadable_clone", "acme/broken#6"),
            ("no_clone", "acme/gone#3"),
            ("no_clone", "acme/gone#4"),
            ("count_mismatch", "Acme/widget#1 commits"),
            ("missing_commit", "acme/widget#2"),
        ]
    ]
    assert all(set(row) == {"file", "offset", "reason", "sample"} for row in rows)
    archive = result.pop("archive")
    assert (archive["hours"], archive["unread_bytes"]) == ({"failed": 1, "read": 2}, 8)
    assert archive["quarantine"] == {"not_gzip": 1, "not_json": 1}
    assert result == {
        "enriched": {**result["enriched"], "wanted": 1, "skipped_no_token": 1},
        "events": {"IssuesEvent": 1, "PullRequestEvent": 6},
        "merged": 5,
        "repository_not_chosen": 0,
        "linked_issues": {"all": 1, "with_text": 1, "text_after_merge": 0, "links_to_pull_requests": 0},
        "comments": {"kept": 0, "after_merge": 0},
        "pull_requests": 1,
        "blobs": 4,
        "blobs_without_text": {"binary": 2},
        "redacted_in_blobs": 0,
        "quarantine": {
            "count_mismatch": 1,
            "missing_commit": 1,
            "needs_enrichment": 1,
            "no_clone": 2,
            "unreadable_clone": 1,
        },
    }
    printed = capsys.readouterr()
    lost = archive["quarantined_bytes"]
    assert (
        f"crawl: quarantined: {lost} bytes, and 8 bytes of files gave nothing: not_gzip 1, not_json 1\n" in printed.out
    )
    told = [line for line in printed.err.splitlines() if "warning" in line]
    assert told[0].startswith(f"crawl: warning: {world}/clones/acme__broken is not a readable clone: ")
    advice = f"git clone --mirror https://github.com/acme/gone {world}/clones/acme__gone.git"
    assert told[1:] == [f"crawl: warning: no clone of acme/gone in {world}/clones: {advice}"]


def test_offsets_and_coverage(world):
    """Offsets point at the record; the coverage of every month is written."""
    crawl(world, world / "out")
    [row] = [row for row in read_jsonl(world / "out" / "quarantine.jsonl") if row["reason"] == "missing_commit"]
    data = gzip.decompress((world / "hours" / row["file"]).read_bytes())
    assert json.loads(data[row["offset"] :].partition(b"\n")[0])["payload"]["number"] == 2
    header, *months = (world / "out" / "coverage.csv").read_text().splitlines()
    [row] = [dict(zip(header.split(","), month.split(","), strict=True)) for month in months]
    assert (row["month"], row["expected"], row["failed"]) == ("2020-01", "3", "1")


def test_only_the_first_missing_clones_are_told(tmp_path, capsys):
    write_hour(tmp_path / "hours" / "h.json.gz", *(pull_record(f"gone/r{n:02}", n + 1) for n in range(12)))
    (tmp_path / "clones").mkdir()
    assert crawl(tmp_path, tmp_path / "out")["quarantine"] == {"no_clone": 12}
    told = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert [f"no clone of gone/r{n:02} in" in line for n, line in enumerate(told[:-1])] == [True] * 10
    assert told[-1] == "crawl: warning: and 2 more clones; see quarantine.jsonl"


def test_missing_folders_are_told(world):
    with pytest.raises(UserError, match=r"data\.clones=.*none is not a folder"):
        crawl_archive(make_archive(world / "archive", world / "hours"), world, "data=local", "data.clones=/none")


def test_an_archive_without_pull_requests_is_an_empty_result(tmp_path):
    write_hour(tmp_path / "hours" / "h.json.gz", issue_record("a/b", 1, "t", "b"))
    (tmp_path / "clones").mkdir()
    assert crawl(tmp_path, tmp_path / "out")["pull_requests"] == 0
    assert read_parquet(tmp_path / "out" / "pull_requests.parquet", PullRequest) == []
    assert read_parquet(tmp_path / "out" / "blobs.parquet", Blob) == []


def test_repositories_tell_forks_and_names_that_changed_hands(tmp_path):
    """The later owner of a/b is another repository."""
    records = [pull_record("b/plain", 1), pull_record("a/b", 1), pull_record("A/b", 1, title="of the later owner")]
    for record, number, fork in ((records[1], 9, True), (records[2], 12, None)):
        record["repo"]["id"] = number
        record["payload"]["pull_request"]["base"]["repo"] = {"id": number, "fork": fork}
    write_hour(tmp_path / "hours" / "h.json.gz", *records)
    (tmp_path / "clones").mkdir()
    crawl(tmp_path, tmp_path / "out")
    rows = [(row["repo"], row["id"], row["fork"]) for row in read_jsonl(tmp_path / "out" / "repositories.jsonl")]
    assert rows[2][0] == "b/plain" and [(repo.lower(), *rest) for repo, *rest in rows[:2]] == [
        ("a/b", 9, True),
        ("a/b", 12, None),
    ]


def make_many(folder: Path, count: int) -> Path:
    """Write a world whose pull requests all join."""
    names, records = ("acme/one", "acme/two", "bob/three"), []
    for place, name in enumerate(names):
        work = Work(folder / f"work{place}")
        base = work.commit({"a.py": "0\n"}, ref="refs/heads/main")
        heads = [
            work.commit(
                {"a.py": f"{n}\n", "same.py": "x\n", f"own{place}.py": f"{n % 7}\n"}, base, ref=f"refs/pull/{n}/head"
            )
            for n in range(1, 7)
        ]
        work.mirror(folder / "clones" / f"{name.replace('/', '__')}.git")
        records += [
            pull_record(name, n, base, heads[n % 6], body=f"Fixes #{n + 1000}", commits=1)
            for n in range(1, count // 3 + 1)
        ]
    write_hour(folder / "hours" / "2020-01-01-0.json.gz", *records[::2])
    write_hour(folder / "hours" / "2020-01-01-1.json.gz", *records[1::2])
    return folder


@pytest.mark.slow
def test_parts_are_merged_in_order_whatever_workers_and_memory(tmp_path, monkeypatch):
    """Three parts: 450 pull requests of three repositories that share blobs."""
    many, found = make_many(tmp_path, 450), []
    for count, memory in (("1", 2000), ("3", 150)):
        monkeypatch.setenv("OPENSWERL_WORKERS", count)
        assert crawl(many, many / count, f"memory_mb={memory}")["pull_requests"] == 450
        found.append(bytes_of(many / count))
    assert found[0] == found[1]
    pulls = read_parquet(many / "1" / "pull_requests.parquet", PullRequest)
    assert [(pull.repo, pull.number) for pull in pulls] == [
        (name, number) for name in ("acme/one", "acme/two", "bob/three") for number in range(1, 151)
    ]
    shas = [blob.sha for blob in read_parquet(many / "1" / "blobs.parquet", Blob)]
    named = {blob for pull in pulls for file in pull.changed_files for blob in (file.old_blob, file.new_blob) if blob}
    assert shas == sorted(named)


def test_only_chosen_repositories_are_used(tmp_path):
    result = crawl(make_many(tmp_path, 6), tmp_path / "out", "data.repositories=[Acme/Two]")
    assert (result["merged"], result["repository_not_chosen"], result["pull_requests"]) == (6, 4, 2)
    assert [row["repo"] for row in read_jsonl(tmp_path / "out" / "repositories.jsonl")] == ["acme/two"]


def test_missing_mirrors_are_made(tmp_path):
    """With data.source=gharchive; a repository that cannot be cloned has the reason of that."""
    many = make_many(tmp_path, 3)
    host = many / "host" / "acme"
    host.mkdir(parents=True)
    for place, name in enumerate(("one", "two")):
        run_git(many, "clone", "-q", "--mirror", str(many / f"work{place}"), str(host / f"{name}.git"))
    overrides = (
        "data=sample",
        "data.repositories=[]",
        f"data.clones={many / 'new'}",
        f"network.clone_url=file://{many / 'host'}",
    )
    result = crawl_archive(make_archive(many / "archive", many / "hours"), many / "out", *overrides)
    assert (result["pull_requests"], result["quarantine"]) == (2, {"repository_gone": 1})
    assert sorted(path.name for path in (many / "new").iterdir() if path.is_dir()) == ["acme__one.git", "acme__two.git"]


def test_without_cloning_a_missing_clone_is_told(tmp_path):
    many = make_many(tmp_path, 3)
    overrides = ("data=sample", "data.repositories=[]", f"data.clones={many / 'hours'}", "crawl.clone=false")
    result = crawl_archive(make_archive(many / "archive", many / "hours"), many / "out", *overrides)
    assert result["quarantine"] == {"no_clone": 3}


def test_github_answers_what_thin_events_do_not_say(tmp_path, server, github):
    work = Work(tmp_path / "work")
    base = work.commit({"a.py": "1\n"}, ref="refs/heads/main")
    head = work.commit({"a.py": "2\n"}, base, ref="refs/pull/1/head")
    work.mirror(tmp_path / "clones" / "acme__tool.git")
    thin = [pull_record("acme/tool", number, base, head) for number in (1, 2, 3)]
    for record in thin:
        record["repo"]["id"] = 77
        record["payload"]["pull_request"] = {
            "number": record["payload"]["number"],
            "base": {"sha": base, "ref": "main", "repo": {"id": 77, "name": "tool"}},
            "head": {"sha": head, "ref": "fix", "repo": {"id": 77, "name": "tool"}},
        }
    write_hour(tmp_path / "hours" / "2025-11-02-10.json.gz", *thin)
    github.pulls["acme/tool", 1] = graphql_shape(1, body="Fixes #9")
    github.pulls["acme/tool", 2] = graphql_shape(2, merged=False, mergedAt=None)
    settings = [f"network.{key}={value}" for key, value in network(server.url).items()]
    result = crawl(tmp_path, tmp_path / "out", *settings)
    [pull] = read_parquet(tmp_path / "out" / "pull_requests.parquet", PullRequest)
    assert (pull.number, pull.title, pull.head_sha, pull.issues[0].number) == (1, "Fix 1", head, 9)
    assert "state_from_api" in pull.flags
    rows = read_jsonl(tmp_path / "out" / "quarantine.jsonl")
    assert [row["sample"] for row in rows if row["reason"] == "needs_enrichment"] == ["acme/tool#3"]
    assert result["events"] == {"PullRequestEvent": 3}
    counts = ("wanted", "asked", "merged", "not_merged", "gone")
    assert [result["enriched"][name] for name in counts] == [3, 3, 1, 1, 1]


def test_enrichment_can_be_switched_off(world):
    result = crawl(world, world / "out", "crawl.enrich=false")
    assert (result["enriched"], result["quarantine"]["needs_enrichment"]) == ({}, 1)
    assert not (world / "out" / "github").exists()


def test_the_laptop_world_is_found_by_itself(world):
    archive = make_archive(world / "archive", world / "hours")
    (world / "clones").rename(world / "repos")
    job = Job(Cell("crawl").view(), world / "out", {"laptop": world, "archive-all": archive}, "digest")
    assert crawl_stage.run(job)["pull_requests"] == 1
