import csv
import itertools
import json
import random
from pathlib import Path

import pytest

from curate.pulls import changed, diff_of, pull, run_curate, seeds
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.parquet import read_parquet
from openswerl.records import Comment, Issue, PullRequest

BIG = "".join(f"+value_{n} = compute(first_{n}, second_{n})\n" for n in range(40))
HEAD = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -0,0 +1,40 @@\n"
OUTPUTS = ("pull_requests.parquet", "funnel.csv", "dropped.jsonl", "labels.csv", "decontamination.csv")
LATER = "2022-01-01T00:00:00Z"
CASES = {
    "benchmark_repository": pull(1, repo="Django/django"),
    "fork_of_benchmark": pull(2, repo="me/django", fork=True),
    "benchmark_id": pull(25, repo_id=4164482),
    "head_in_benchmark": pull(26, head_repo="django/django"),
    "bot_type": pull(3, author_type="Bot"),
    "bot_suffix": pull(4, author="x[bot]"),
    "bot_name": pull(5, author="imgbot"),
    "bot_keyword": pull(6, title="Bump x"),
    "sync_title": pull(27, fork=True, title="Merge upstream"),
    "head_in_upstream": pull(28, fork=True, repo_id=9, head_repo_id=8),
    "empty_change": pull(7, changed_files=[], oracle_diff=""),
    "diff_too_large": pull(8, oracle_diff="x" * 300_000),
    "too_many_files": pull(9, changed_files=[changed(f"{n}.py") for n in range(101)]),
    "no_text_change": pull(10, oracle_diff="Binary files a/x and b/x differ\n"),
    "lock_files": pull(11, oracle_diff=diff_of(("go.sum", "a", "b"))),
    "unknown_licence": pull(29, licence=""),
    "licence_not_allowed": pull(30, licence="GPL-2.0-only"),
    "revert": pull(13, title='Revert "Boil"', body="Reverts #12"),
    "reverted": pull(12, title="Boil"),
    "same_patch": pull(14, oracle_diff=pull(50).oracle_diff, merged_at=LATER),
    "same_issue": pull(15, issues=pull(50).issues, merged_at=LATER),
    "backport": pull(31, title="Mend the widget 50 (backport #50)", merged_at=LATER),
    "near_duplicate": pull(32, oracle_diff=HEAD.format("b.py") + BIG, merged_at=LATER),
    "no_linked_issue": pull(16, issues=[]),
    "no_issue_text": pull(17, issues=[Issue("a/b", 1, "", "")]),
    "no_bug_wording": pull(33, issues=[Issue("a/b", 2, "Sorting", "")]),
    "feature_request": pull(34, issues=[Issue("a/b", 3, "Add sorting", "")]),
    "tests_only": pull(35, changed_files=[changed("tests/test_a.py")]),
    "not_code": pull(18, changed_files=[changed("a.md"), changed("a.py")]),
    "only_new_files": pull(19, changed_files=[changed("a.py", "A")]),
    "too_many_seed_files": pull(20, changed_files=[changed(f"{n}.py") for n in range(6)]),
    "removes_a_file": pull(21, changed_files=[changed("a.py", "D"), changed("b.py")]),
    "mode_or_type_change": pull(22, changed_files=[changed("a.py", new_mode="100755")]),
    "not_text": pull(23, changed_files=[changed("logo.py", outcome="binary")]),
}
KEPT = [
    pull(50, conversation=[Comment("comment", "bob", "User", LATER, "", "Nice.")]),
    pull(51, oracle_diff=HEAD.format("a.py") + BIG),
]


def funnel(folder: Path) -> list[tuple[str, str, int, int]]:
    with (folder / "curate" / "funnel.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [(row["step"], row["reason"], int(row["dropped"]), int(row["left"])) for row in rows]


def test_every_reason_is_counted_and_every_dropped_one_is_named(tmp_path):
    result = run_curate(tmp_path, [*CASES.values(), *KEPT])
    assert result == {"pull_requests": len(CASES) + 2, "seeds": 2, "dropped": dict.fromkeys(result["dropped"], 1)}
    assert set(result["dropped"]) == set(CASES)
    assert read_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest) == KEPT
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


def test_every_reason_is_in_the_readme():
    readme = (Path(__file__).parents[2] / "src/openswerl/curate/README.md").read_text()
    more = (
        "benchmark_commit benchmark_patch statement_overlap patch_overlap generated_files vendored_files version_bumps"
    )
    most = [*CASES, *more.split(), "long_lines", "all_hunks_flagged", "docs_only", "ci_only", "version_bump_only"]
    assert [reason for reason in most if f"`{reason}`" not in readme] == []


def test_a_step_that_drops_nothing_has_its_row(tmp_path):
    run_curate(tmp_path, [pull(1)])
    assert [row[0] for row in funnel(tmp_path)] == (
        "crawl decontaminate bots forks size generated licence reverts same_patch same_issue backports near_duplicates "
        "seed_issue seed_bug seed_kind seed_files seed_edits"
    ).split()
    assert all(row[1:] == ("", 0, 1) for row in funnel(tmp_path))


def test_the_papers_steps(tmp_path):
    run_curate(tmp_path, [*CASES.values(), *KEPT], "curate=paper")
    assert [step for step, _ in itertools.groupby(row[0] for row in funnel(tmp_path))] == (
        "crawl decontaminate bots size generated same_patch seed_issue seed_bug seed_files seed_edits".split()
    )


def test_steps_can_be_left_out_and_must_exist(tmp_path):
    run_curate(tmp_path, [pull(1, licence="")], "curate.filters=[bots]", "curate.groupings=[]", "curate.seeds=[]")
    assert seeds(tmp_path) == [1]
    with pytest.raises(UserError, match="no step near; choose among reverts"):
        run_curate(tmp_path, [], "curate.groupings=[near]")


def test_equal_input_gives_equal_bytes_and_order_does_not_matter(tmp_path, monkeypatch):
    pulls = [*CASES.values(), *KEPT, *(pull(n) for n in range(100, 700))]
    results = []
    for name, workers in (("a", 1), ("b", 4)):
        monkeypatch.setenv("OPENSWERL_WORKERS", f"{workers}")
        run_curate(tmp_path / name, pulls)
        results.append([(tmp_path / name / "curate" / output).read_bytes() for output in OUTPUTS])
    assert results[0] == results[1]
    random.Random(0).shuffle(pulls)
    run_curate(tmp_path / "c", pulls)
    assert sorted(seeds(tmp_path / "c")) == seeds(tmp_path / "a")
    assert (tmp_path / "c/curate/funnel.csv").read_bytes() == results[0][1]
    assert [path.name for path in (tmp_path / "a" / "curate").iterdir() if path.name.startswith("work")] == [
        "work-digest"
    ]


def test_labels_and_contamination_are_written_down(tmp_path):
    run_curate(tmp_path, [CASES["tests_only"], CASES["benchmark_id"], pull(50)])
    assert (tmp_path / "curate" / "labels.csv").read_text() == "repo,number,label\nacme/widget,35,tests_only\n"
    assert (tmp_path / "curate" / "decontamination.csv").read_text() == (
        "repo,number,reason,benchmark,overlap\nacme/widget,25,benchmark_id,acme/widget,1.0\n"
    )


def test_pitfall_24_the_report_holds_no_gold_data(tmp_path):
    gold = diff_of(("src/secret_path.py", "secret old line", "secret new line"))
    row = {"instance_id": "o__t-1", "repo": "o/t", "base_commit": "b" * 40, "patch": gold}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "problem_statement": "secret words " * 20}) + "\n")
    stolen = [pull(1, oracle_diff=gold), pull(2, issues=[Issue("a/b", 1, "", "secret words " * 20)])]
    result = run_curate(tmp_path, [*stolen, pull(3)], f"curate.benchmark_rows=[{tmp_path / 'rows.jsonl'}]")
    assert (result["pull_requests"], result["seeds"]) == (3, 1)
    assert not any(b"secret" in (tmp_path / "curate" / output).read_bytes() for output in OUTPUTS)
    assert (tmp_path / "curate" / "decontamination.csv").read_text() == (
        "repo,number,reason,benchmark,overlap\n"
        "acme/widget,1,benchmark_patch,o__t-1,1.0\nacme/widget,2,statement_overlap,o__t-1,1.0\n"
    )


@pytest.mark.parametrize(("listed", "count"), [("acme/other\n", 1), ("x/y\nAcme/Widget\n", 0)])
def test_the_mini_benchmark_is_kept_out(tmp_path, listed, count):
    (tmp_path / "laptop" / "benchmark").mkdir(parents=True)
    (tmp_path / "laptop" / "benchmark" / "repositories.txt").write_text(listed)
    assert run_curate(tmp_path, [pull(1)], laptop=tmp_path / "laptop")["seeds"] == count


def test_nothing_in_nothing_out(tmp_path):
    assert run_curate(tmp_path, [])["seeds"] == 0
    assert seeds(tmp_path) == []


def test_what_a_killed_run_left_does_not_matter(tmp_path):
    run_curate(tmp_path / "clean", KEPT)
    for name in ("tables/rows.parquet", "tables/bands.parquet", "database/data.duckdb"):
        torn = tmp_path / "again" / "curate" / "work-digest" / name
        torn.parent.mkdir(parents=True, exist_ok=True)
        torn.write_bytes(b"torn")
    run_curate(tmp_path / "again", KEPT)
    for output in OUTPUTS:
        assert (tmp_path / "again/curate" / output).read_bytes() == (tmp_path / "clean/curate" / output).read_bytes()
