import csv
import itertools
from pathlib import Path

import pytest

from curate.pulls import changed, diff_of, pull
from openswerl.config import Cell
from openswerl.curate.run import run
from openswerl.files import read_jsonl, write_jsonl
from openswerl.records import Blob, Issue, PullRequest, read_parquet, write_parquet
from openswerl.stage import Job


def curate(folder: Path, pulls: list[PullRequest], *, forks: tuple[str, ...] = (), laptop: Path | None = None) -> dict:
    crawl = folder / "crawl"
    write_parquet(crawl / "pull_requests.parquet", pulls, PullRequest)
    sides = {blob for item in pulls for file in item.changed_files for blob in (file.old_blob, file.new_blob) if blob}
    binary = changed("logo.py").new_blob
    write_parquet(crawl / "blobs.parquet", [Blob(sha, None if sha == binary else "x") for sha in sorted(sides)], Blob)
    rows = [{"repo": item.repo, "id": 1, "fork": item.repo in forks} for item in pulls]
    write_jsonl(crawl / "repositories.jsonl", rows)
    inputs = {"crawl": crawl} | ({"laptop": laptop} if laptop else {})
    return run(Job(Cell("curate").view(), folder / "curate", inputs, "digest"))


def funnel(folder: Path) -> list[tuple[str, str, int, int]]:
    with (folder / "curate" / "funnel.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [(row["step"], row["reason"], int(row["dropped"]), int(row["left"])) for row in rows]


CASES = {
    "benchmark_repository": pull(1, repo="Django/django"),
    "fork_of_benchmark": pull(2, repo="me/django"),
    "bot_type": pull(3, author_type="Bot"),
    "bot_suffix": pull(4, author="x[bot]"),
    "bot_name": pull(5, author="imgbot"),
    "bot_keyword": pull(6, title="Bump x"),
    "empty_change": pull(7, changed_files=[], oracle_diff=""),
    "diff_too_large": pull(8, oracle_diff="x" * 300_000),
    "too_many_files": pull(9, changed_files=[changed(f"{n}.py") for n in range(101)]),
    "no_text_change": pull(10, oracle_diff="Binary files a/x and b/x differ\n"),
    "all_hunks_generated": pull(11, oracle_diff=diff_of(("go.sum", "a", "b"))),
    "revert": pull(13, title='Revert "Boil"', body="Reverts #12"),
    "reverted": pull(12, title="Boil"),
    "same_patch": pull(14, oracle_diff=pull(50).oracle_diff, merged_at="2022-01-01T00:00:00Z"),
    "same_issue": pull(15, issues=pull(50).issues, merged_at="2022-01-01T00:00:00Z"),
    "no_linked_issue": pull(16, issues=[]),
    "no_issue_text": pull(17, issues=[Issue("a/b", 1, "", "")]),
    "not_code": pull(18, changed_files=[changed("a.md")]),
    "only_new_files": pull(19, changed_files=[changed("a.py", "A")]),
    "too_many_seed_files": pull(20, changed_files=[changed(f"{n}.py") for n in range(6)]),
    "removes_a_file": pull(21, changed_files=[changed("a.py", "D"), changed("b.py")]),
    "mode_or_type_change": pull(22, changed_files=[changed("a.py", new_mode="100755")]),
    "not_text": pull(23, changed_files=[changed("logo.py")]),
}


def test_every_reason_is_counted_and_every_dropped_one_is_named(tmp_path):
    result = curate(tmp_path, [*CASES.values(), pull(50), pull(51)], forks=("me/django",))
    assert result == {"pull_requests": len(CASES) + 2, "seeds": 2}
    assert [item.number for item in read_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest)] == [
        50,
        51,
    ]
    rows = read_jsonl(tmp_path / "curate" / "dropped.jsonl")
    assert {row["reason"]: (row["repo"], row["number"]) for row in rows} == {
        reason: (item.repo, item.number) for reason, item in CASES.items()
    }
    table = funnel(tmp_path)
    assert table[0] == ("crawl", "", 0, len(CASES) + 2)
    assert {(step, reason) for step, reason, *_ in table[1:] if reason} == {
        (row["step"], row["reason"]) for row in rows
    }
    for before, after in itertools.pairwise(table):
        assert before[3] - after[2] == after[3]
    assert table[-1][3] == 2


def test_a_step_that_drops_nothing_has_its_row(tmp_path):
    curate(tmp_path, [pull(1)])
    assert [row[0] for row in funnel(tmp_path)] == [
        "crawl",
        "decontaminate",
        "bots",
        "size",
        "generated",
        "reverts",
        "same_patch",
        "same_issue",
        "seed_issue",
        "seed_files",
        "seed_edits",
    ]
    assert all(row[1:] == ("", 0, 1) for row in funnel(tmp_path))


@pytest.mark.parametrize(("listed", "seeds"), [("acme/other\n", 1), ("x/y\nAcme/Widget\n", 0)])
def test_the_mini_benchmark_is_kept_out(tmp_path, listed, seeds):
    (tmp_path / "laptop" / "benchmark").mkdir(parents=True)
    (tmp_path / "laptop" / "benchmark" / "repositories.txt").write_text(listed)
    assert curate(tmp_path, [pull(1)], laptop=tmp_path / "laptop")["seeds"] == seeds


def test_nothing_in_nothing_out(tmp_path):
    assert curate(tmp_path, [])["seeds"] == 0
    assert read_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest) == []
