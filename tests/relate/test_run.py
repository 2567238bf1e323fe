import json
import os
from pathlib import Path

import msgspec
import pytest

from crawl.world import run_git
from openswerl.crawl.clone import Clones
from openswerl.crawl.git import GitError
from openswerl.edits import git_patch
from openswerl.files import read_jsonl
from openswerl.parquet import iter_parquet
from openswerl.records import Instance, Issue, Provenance, PullRequest
from openswerl.relate.instances import problem_statement, query_of
from openswerl.relate.query import Query
from parquet_files import write_parquet
from relate.seeds import World, job_of, run_relate, seed


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


def test_an_instance_holds_what_the_paper_says(world, tmp_path):
    head = world.pull(7, {"pkg/a.py": "import pkg.b\nx = 2\n", "pkg/new.py": "w = 1\n"})
    world.write()
    result, [instance] = run_relate(tmp_path)
    counts = {"seeds": 1, "instances": 1, "dropped": {}, "related_files": 1, "passed_over": {}, "measured": 0}
    assert result == counts
    assert (instance.instance_id, instance.repo, instance.base_commit) == ("Acme__widget-7", "Acme/widget", world.base)
    assert instance.problem_statement == "It breaks \n\nOften."
    assert {file.path: file.content for file in instance.changed_files} == {
        "pkg/a.py": "import pkg.b\nx = 1\n",
        "pkg/new.py": "",
    }
    assert {file.path: file.content for file in instance.related_unchanged_files} == {"pkg/b.py": "y = 1\n"}
    assert instance.oracle == {"pkg/a.py": "import pkg.b\nx = 2\n", "pkg/new.py": "w = 1\n"}
    run_git(world.work.folder, "checkout", "-q", "-f", world.base)
    run_git(world.work.folder, "apply", "--index", stdin=instance.golden_patch.encode())
    assert world.work.git("write-tree") == world.work.git("rev-parse", f"{head}^{{tree}}")
    [row] = read_jsonl(tmp_path / "relate" / "related.jsonl")
    assert (row["instance_id"], row["path"], row["outcome"]) == ("Acme__widget-7", "pkg/b.py", "chosen")
    assert row["reasons"][0] == "imported by pkg/a.py"


def test_an_instance_says_where_it_comes_from(world, tmp_path):
    issues = [Issue("Acme/widget", 107, "It breaks", ""), Issue("other/place", 3, "", "")]
    head = world.pull(7, {"pkg/a.py": "import pkg.b\nx = 2\n", "pkg/x.c": "int x;\n"}, issues=issues)
    world.write()
    _, [instance] = run_relate(tmp_path)
    assert (instance.number, instance.licence) == (7, "MIT")
    assert instance.links == ["Acme/widget#107", "other/place#3"]
    assert instance.language == "C", "ties go by name"
    assert instance.provenance == Provenance("h.json.gz", 9, head, "2017-07-14T03:00:00Z")


def test_gold_that_no_answer_can_say_is_dropped_with_its_reason(world, tmp_path):
    world.pull(1, {"pkg/a.py": "import pkg.b\nx = 2\n"})
    world.pull(2, {"pkg/b.py": "y = 1\n# </think>\n"})
    world.pull(3, {"pkg/b.py": "y = 1\r\n"})
    world.pull(4, {"pkg/c.py": "z = 1\n>>>>>>> REPLACE\n```\nz = 2\n"})
    world.write()
    result, instances = run_relate(tmp_path)
    assert [instance.instance_id for instance in instances] == ["Acme__widget-1"]
    rows = read_jsonl(tmp_path / "relate" / "dropped.jsonl")
    assert [(row["repo"], row["number"], row["reason"]) for row in rows] == [
        ("Acme/widget", 2, "gold_inexpressible"),
        ("Acme/widget", 3, "empty_oracle"),
        ("Acme/widget", 4, "gold_inexpressible"),
    ]
    assert result["dropped"] == {"empty_oracle": 1, "gold_inexpressible": 2}


def test_awkward_text_makes_good_instances(world, tmp_path):
    world.base = world.work.commit({"pkg/w.py": "a\r\nb\r\n", "pkg/n.py": "a\nb", "pkg/é.py": "ü\n"}, world.base)
    edits = {"pkg/w.py": "a\r\nc\r\n", "pkg/n.py": "a\nb\nc", "pkg/é.py": "ö\n"}
    world.pull(1, edits)
    world.write()
    _, [instance] = run_relate(tmp_path)
    assert instance.oracle == edits
    assert git_patch(instance.task.context, instance.oracle)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_same_input_same_bytes_with_any_number_of_workers(world, tmp_path, monkeypatch):
    for number in range(1, 41):
        world.pull(number, {"pkg/a.py": f"x = {number + 1}\n"})
    world.write()
    found = []
    for workers in ("1", "3"):
        monkeypatch.setenv("OPENSWERL_WORKERS", workers)
        result, instances = run_relate(tmp_path)
        found.append((result, contents(tmp_path / "relate")))
        assert [instance.number for instance in instances] == list(range(1, 41))
    assert found[0] == found[1]
    assert set(found[0][1]) == {
        *("instances.parquet", "instances.jsonl", "related.jsonl", "dropped.jsonl", "quality.csv")
    }


def test_the_two_exports_are_equal(world, tmp_path):
    for number in range(1, 4):
        world.pull(number, {"pkg/a.py": f"x = 'é{number}'\n"})
    world.write()
    _, instances = run_relate(tmp_path)
    lines = (tmp_path / "relate" / "instances.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line, type=Instance) for line in lines] == instances


def test_files_that_do_not_fit_are_skipped_whole_and_counted(world, tmp_path):
    world.base = world.work.commit({"pkg/big.py": "import pkg.c\n" + "#" * 100}, world.base)
    world.pull(1, {"pkg/c.py": "z = 2\n"})
    world.write()
    result, [instance] = run_relate(tmp_path, "relate.max_bytes=50")
    assert [file.path for file in instance.related_unchanged_files] == ["pkg/a.py"]
    assert (result["related_files"], result["passed_over"]) == (1, {"too_large": 1})
    rows = read_jsonl(tmp_path / "relate" / "related.jsonl")
    assert [(row["path"], row["outcome"]) for row in rows] == [("pkg/big.py", "too_large"), ("pkg/a.py", "chosen")]


def test_problem_statement_joins_issues_and_never_leaks_the_pull_request(world, tmp_path):
    world.pull(1, {"pkg/a.py": "x = 2\n"}, title="the fix is x = 2", body="so there")
    world.write()
    _, [instance] = run_relate(tmp_path)
    assert "fix" not in instance.problem_statement
    [pull] = iter_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest)
    [issue] = pull.issues
    empty = msgspec.structs.replace(issue, title="", body="")
    both = msgspec.structs.replace(pull, issues=[issue, empty, msgspec.structs.replace(issue, body="")])
    assert problem_statement(both) == "It breaks \n\nOften.\n\nIt breaks"
    assert problem_statement(msgspec.structs.replace(both, issues=[empty])) == ""
    assert problem_statement(msgspec.structs.replace(both, issues=[])) == "the fix is x = 2\n\nso there"


def test_a_predictor_sees_a_query_without_gold(world, tmp_path):
    world.pull(1, {"pkg/a.py": "x = 2  # CANARY\n"}, title="mend", body="x")
    world.write()
    [pull] = iter_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest)
    assert "CANARY" in pull.oracle_diff
    assert query_of(pull) == Query("mend", "x", ("pkg/a.py",))
    assert Query.__struct_fields__ == ("title", "description", "changed")


def test_a_lost_clone_is_told_and_counted(world, tmp_path, capsys):
    world.pull(1, {"pkg/a.py": "x = 2\n"})
    world.write()
    (tmp_path / "clones" / "acme__widget.git").rename(tmp_path / "gone")
    result, instances = run_relate(tmp_path)
    assert (result["dropped"], instances) == ({"no_clone": 1}, [])
    assert "relate: warning: no clone of Acme/widget in" in capsys.readouterr().err
    write_parquet(tmp_path / "curate" / "pull_requests.parquet", [], PullRequest)
    assert run_relate(tmp_path)[0]["instances"] == 0


def test_real_clones_become_instances(tmp_path, data_folder):
    """The records of expected.json whose clone is present; the other names are told."""
    if "OPENSWERL_CLONES" not in os.environ:
        pytest.skip("OPENSWERL_CLONES is not set: real clones are not tested")
    clones = Clones(Path(os.environ["OPENSWERL_CLONES"]))
    (tmp_path / "clones").symlink_to(clones.folder)
    pulls, absent = [], []
    for record in json.loads((data_folder / "gharchive" / "expected.json").read_text())["records"]:
        name = f"{record['repo']}#{record['number']}"
        try:
            with clones.open(record["repo"]) as clone:
                fields = {"repo": record["repo"], "title": record["title"], "merged_at": record["merged_at"]}
                pull = seed(clone, record["number"], record["base_sha"], record["head_sha"], **fields)
        except GitError:
            absent.append(name)
            continue
        pulls.append(pull)
    print("absent:", absent)
    assert len(pulls) >= 8
    write_parquet(tmp_path / "curate" / "pull_requests.parquet", pulls, PullRequest)
    result, instances = run_relate(tmp_path, "relate.max_files=3", "relate.max_bytes=100000")
    assert result["instances"] + sum(result["dropped"].values()) == len(pulls)
    found = {instance.instance_id: instance for instance in instances}
    assert {"isaacg1__pyth-9", "ucb-sejits__ctree-31", "tarcieri__http.rb-170"} <= found.keys()
    for instance in instances:
        paths = {file.path for file in instance.related_unchanged_files}
        assert not paths & instance.oracle.keys()
    assert {"lib/http/response.rb"} & {f.path for f in found["tarcieri__http.rb-170"].changed_files}
    assert found["tarcieri__http.rb-170"].language == "Ruby"
    assert job_of(tmp_path).scratch.name == "work-digest"
