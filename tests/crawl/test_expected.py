"""The real stages on real hour files and real clones: merged pull requests that were once rebuilt by hand."""

import hashlib
import json
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

from openswerl.compose import ROOT
from openswerl.config import Cell
from openswerl.crawl.clone import Clones
from openswerl.edits import minimal_blocks, render
from openswerl.parquet import iter_parquet
from openswerl.records import Blob, PullRequest
from openswerl.reward import score

pytestmark = pytest.mark.slow
NAMES = (
    *("kragniz/json-sempai#4", "isaacg1/pyth#10", "isaacg1/pyth#9", "epeli/underscore.string#370", "venmo/synx#63"),
    *("wycats/handlebars.js#932", "progval/limnoria#980", "uber/charlatan#32", "ucb-sejits/ctree#31"),
    *("tarcieri/http.rb#170", "city-of-helsinki/mvj#268", "honeycombio/samproxy#173", "jonathanbratt/wordpiece#2"),
)
FILE = ("path", "status", "old_mode", "new_mode", "old_blob", "new_blob")


class Real(NamedTuple):
    """What is expected and what the stages made of it, by owner/name#number in lower case."""

    records: dict[str, dict[str, Any]]
    pulls: dict[str, PullRequest]
    blobs: dict[str, Blob]
    clones: Clones
    printed: str


@pytest.fixture(scope="module")
def real(gharchive, real_clones, tmp_path_factory) -> Real:
    results = tmp_path_factory.mktemp("results")
    overrides = ("data=local", f"data.path={gharchive}", f"data.clones={real_clones}", f"results={results}")
    command = [sys.executable, str(ROOT / "scripts" / "crawl.py"), *overrides]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = Cell("crawl", overrides).folder
    records = json.loads((gharchive / "expected.json").read_text())["records"]
    pulls = iter_parquet(folder / "pull_requests.parquet", PullRequest)
    return Real(
        {f"{record['repo']}#{record['number']}": record for record in records},
        {f"{pull.repo.lower()}#{pull.number}": pull for pull in pulls},
        {blob.sha: blob for blob in iter_parquet(folder / "blobs.parquet", Blob)},
        Clones(real_clones),
        done.stdout,
    )


def test_the_summary_counts_what_the_manifest_counts(real, gharchive):
    manifest = json.loads((gharchive / "manifest.json").read_text())
    rows = [row for row in manifest if row["file"].endswith(".json.gz") and row["types"]]
    assert f"read {len(rows)};" in real.printed and f"{sum(row['raw_bytes'] for row in rows)} bytes" in real.printed
    for kind in ("PullRequestEvent", "IssuesEvent", "IssueCommentEvent"):
        assert f"{kind} {sum(row['types'].get(kind, 0) for row in rows)}" in real.printed
    assert "quarantined: 0 bytes, and 2048 bytes of files gave nothing: not_gzip 1\n" in real.printed


def skip_unless_cloned(real: Real, name: str) -> None:
    record = real.records[name]
    if record["repo"] not in real.clones.paths:
        pytest.skip(f"OPENSWERL_CLONES has no clone of {record['repo']}")
    with real.clones.open(record["repo"]) as clone:
        if not all(clone.commit(record[side]) for side in ("base_sha", "head_sha")):
            pytest.skip(f"the clone of {record['repo']} lacks base or head of {name}; mirror it with refs/pull/*")


def test_every_record_has_a_case(real):
    assert set(real.records) == set(NAMES) and len(NAMES) == 13


@pytest.mark.parametrize("name", NAMES)
def test_a_real_pull_request_equals_its_expected_record(real, name):
    skip_unless_cloned(real, name)
    pull, record = real.pulls[name], real.records[name]
    for field in ("base_sha", "head_sha", "merge_base", "merged_at", "title", "oracle_diff_sha256"):
        assert getattr(pull, field) == record[field]
    assert hashlib.sha256(pull.body.encode()).hexdigest() == record["pr_body_sha256"]
    counts = {"changed_files": len(pull.changed_files), "commits": len(pull.commits)}
    assert counts | {"additions": pull.additions, "deletions": pull.deletions} == record["git_counts"]
    assert record["event_counts"] == record["git_counts"]
    assert not [flag for flag in pull.flags if flag.startswith(("count_mismatch", "head_", "base_"))]
    assert [[getattr(file, field) for field in FILE] for file in pull.changed_files] == [
        [file[field] for field in FILE] for file in record["files"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_real_contents_equal_the_expected_ones(real, name):
    skip_unless_cloned(real, name)
    olds = [file for file in real.records[name]["files"] if "old_sha256" in file]
    for file in olds:
        blob = real.blobs[file["old_blob"]]
        assert (blob.sha256, blob.size) == (file["old_sha256"], file["old_bytes"])
        assert (blob.reason == "") == (file["utf8"] and not file["binary"])
        if blob.content is not None and not blob.redactions:
            assert hashlib.sha256(blob.content.encode()).hexdigest() == file["old_sha256"]
            assert ("\r\n" in blob.content) == file["crlf"]


@pytest.mark.parametrize("name", NAMES)
def test_real_linked_issues_equal_the_expected_ones(real, name):
    skip_unless_cloned(real, name)
    found = {(issue.repo.lower(), issue.number): issue for issue in real.pulls[name].issues}
    expected = {(issue["repo"], issue["number"]): issue for issue in real.records[name]["linked_issues"]}
    assert found.keys() == expected.keys()
    for key, issue in expected.items():
        assert bool(found[key].title) == issue["text_in_extracts"]
        if issue["text_in_extracts"]:
            assert found[key].title == issue["title"]
            assert hashlib.sha256(found[key].body.encode()).hexdigest() == issue["body_sha256"]


def test_pitfall_11_a_real_lost_head_is_found_through_the_merge_commit(real):
    record = real.records["honeycombio/samproxy#173"]
    pull = real.pulls.get("honeycombio/samproxy#173")
    if pull is None or pull.head_sha == record["head_sha"]:
        pytest.skip("OPENSWERL_CLONES has no clone of honeycombio/samproxy, or one that is not without refs/pull/173")
    assert pull.flags == ["head_from_merge_commit"]
    assert pull.head_sha == pull.merge_commit_sha
    assert pull.oracle_diff_sha256 == record["oracle_diff_sha256"]


def test_real_gold_edits_score_exactly_one(real):
    scored = 0
    for pull in real.pulls.values():
        if any(file.outcome != "text" for file in pull.changed_files):
            continue
        old, new = (
            {file.path: real.blobs[sha].content or "" if sha else "" for file, sha in side}
            for side in zip(
                *(((file, file.old_blob), (file, file.new_blob)) for file in pull.changed_files), strict=True
            )
        )
        assert score(old, new, render("gold", minimal_blocks(old, new))).reward == 1.0
        scored += 1
    assert scored >= len(real.pulls) - 1
