import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curate.pulls import change, diff_of
from openswerl.curate.benchmark import read_rows
from openswerl.curate.decontaminate import contamination, decontaminate
from openswerl.errors import UserError
from openswerl.records import Issue

STATEMENT = " ".join(f"word{n}" for n in range(60))
LINES = [" ".join(f"name{n}_{m}" for m in range(20)) for n in range(4)]
ROW = {
    "instance_id": "owner__tool-7",
    "repo": "Owner/Tool",
    "base_commit": "b" * 40,
    "problem_statement": STATEMENT,
    "patch": diff_of(("src/tool.py", LINES[0], LINES[1]), ("src/help.py", LINES[2], LINES[3])),
}


@pytest.fixture
def known(tmp_path, rules_with):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    return rules_with(benchmark_rows=[str(tmp_path / "rows.jsonl")])


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"repo": "Django/DJANGO"}, "benchmark_repository"),
        ({"repo": "kennethreitz/requests"}, "benchmark_repository"),  # psf/requests before it moved
        ({"repo": "mitsuhiko/flask"}, "benchmark_repository"),
        ({"repo": "anyone/renamed", "repo_id": 1385122}, "benchmark_id"),  # matplotlib/matplotlib
        ({"repo": "someone/Django", "fork": True}, "fork_of_benchmark"),
        ({"repo": "someone/django", "fork": None}, "fork_of_benchmark"),  # not known to be none
        ({"repo": "someone/django", "fork": False}, None),  # a namesake
        ({"repo": "someone/django-extras", "fork": True}, None),
        ({"repo": "someone/mirror", "head_repo": "Sympy/sympy"}, "head_in_benchmark"),
        ({"repo": "someone/mirror", "head_repo_id": 4164482}, "head_in_benchmark"),
        ({"repo": "psf/black", "fork": True}, None),
    ],
)
def test_pitfall_24_repositories_by_id_former_name_and_fork(rules, fields, reason):
    assert decontaminate(change(**fields), rules) == reason


def test_pitfall_24_repositories_of_real_hours(rules, data_folder):
    """The hours of 2015-01-01 hold pull requests of matplotlib, whose name has not changed since."""
    found = set()
    with gzip.open(data_folder / "gharchive" / "2015-01-01-0.prissue.json.gz", "rt", encoding="utf-8") as file:
        for event in map(json.loads, file):
            if event["type"] == "PullRequestEvent":
                base = event["payload"]["pull_request"]["base"]["repo"]
                for repo in (base["full_name"], "new/name"):
                    one = change(repo=repo, repo_id=base["id"], fork=base["fork"])
                    if decontaminate(one, rules):
                        found.add((base["full_name"], decontaminate(one, rules)))
    assert ("matplotlib/matplotlib", "benchmark_repository") in found
    assert ("matplotlib/matplotlib", "benchmark_id") in found
    assert {name.rpartition("/")[2] for name, _ in found} <= {"matplotlib", "django", "sympy", "flask", "astropy"}


def test_the_papers_rule_is_by_name(paper):
    assert decontaminate(change(repo="django/django"), paper) == "benchmark_repository"
    assert decontaminate(change(repo="mitsuhiko/flask"), paper) is None
    assert decontaminate(change(repo="someone/django", fork=True), paper) is None


def test_pitfall_24_a_rows_repository_commit_and_patch(known):
    assert contamination(change(repo="owner/tool"), known).benchmark == "owner/tool"
    at_base = contamination(change(merge_base="b" * 40), known)
    assert (at_base.reason, at_base.benchmark) == ("benchmark_commit", "owner__tool-7")
    tests = diff_of(("tests/test_tool.py", "p", "q"))
    copied = contamination(change(oracle_diff=ROW["patch"].replace("@@ -1 +1 @@", "@@ -9 +9 @@") + tests), known)
    assert (copied.reason, copied.benchmark) == ("benchmark_patch", "owner__tool-7")


def test_pitfall_24_a_rows_text(known):
    def judged(**fields):
        return contamination(change(**fields), known)

    quoted = judged(issues=[Issue("a/b", 1, "From elsewhere", f"As they say: {STATEMENT.upper()}, too.")])
    assert (quoted.reason, quoted.benchmark, quoted.overlap) == ("statement_overlap", "owner__tool-7", 1.0)
    half = judged(issues=[Issue("a/b", 1, "", STATEMENT[: len(STATEMENT) // 2] + " and other words" * 20)])
    assert half.reason == "statement_overlap" and 0.3 < half.overlap < 0.6
    short = " ".join(STATEMENT.split()[:12])  # no run of 13 words
    assert judged(issues=[Issue("a/b", 1, "", short + " and other words" * 20)]) is None
    moved = judged(oracle_diff=diff_of(("lib/copy.py", LINES[0], LINES[1] + " more")))
    assert (moved.reason, moved.benchmark) == ("patch_overlap", "owner__tool-7")
    assert judged() is None


def test_the_share_is_a_choice(tmp_path, rules_with):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    rules = rules_with(benchmark_rows=[str(tmp_path / "rows.jsonl")], max_overlap=0.9)
    text = STATEMENT[: len(STATEMENT) // 2] + " and other words" * 20
    assert contamination(change(issues=[Issue("a/b", 1, "", text)]), rules) is None


@pytest.mark.parametrize("name", ["verified_instances", "lite_only_instances"])
def test_pitfall_24_every_real_row_is_found_under_another_name(rules_with, data_folder, name):
    path = str(data_folder / "swebench" / f"{name}.jsonl.gz")
    rules = rules_with(benchmark_rows=[path])
    for row in read_rows(Path(path)):
        fields = {"repo": "me/mine", "oracle_diff": row["patch"]}
        assert decontaminate(change(**fields), rules) == "benchmark_patch"
        by_text = change(repo="me/mine", issues=[Issue("me/mine", 1, "", row["problem_statement"])])
        assert decontaminate(by_text, rules) in ("statement_overlap", None)


def test_different_rows_of_one_repository_are_not_taken_for_each_other(rules_with, data_folder):
    """Lite rows that are not in Verified are other issues: what they share is templates and boilerplate."""
    folder = data_folder / "swebench"
    rules = rules_with(benchmark_rows=[str(folder / "verified_instances.jsonl.gz")])
    rows = list(read_rows(Path(folder / "lite_only_instances.jsonl.gz")))
    issues = [[Issue("me/mine", 1, "", row["problem_statement"])] for row in rows]
    made = [change(issues=one, oracle_diff=row["patch"]) for one, row in zip(issues, rows, strict=True)]
    assert sum(decontaminate(one, rules) is not None for one in made) <= 0.02 * len(rows)


def test_rows_as_parquet_and_errors(tmp_path, rules_with):
    pq.write_table(pa.Table.from_pylist([ROW]), tmp_path / "rows.parquet")
    rules = rules_with(benchmark_rows=[str(tmp_path / "rows.parquet")])
    assert rules.benchmark.instances == ["owner__tool-7"]
    (tmp_path / "bad.jsonl").write_text(json.dumps({**ROW, "patch": None}) + "\n")
    (tmp_path / "torn.jsonl").write_text('{"instance_id')
    for name, message in (("bad.jsonl", "row 1 has no patch"), ("torn.jsonl", "cannot read"), ("none.jsonl", "none")):
        with pytest.raises(UserError, match=message):
            rules_with(benchmark_rows=[str(tmp_path / name)])


def test_only_hashes_of_gold_data_are_kept(known):
    held = repr(vars(known.benchmark))
    assert "word1" not in held and "name0_0" not in held
