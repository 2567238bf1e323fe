import os
from pathlib import Path

import msgspec
import pytest

from crawl.world import Work, issue_record, pull_record, run_git, write_hour
from openswerl.config import Cell
from openswerl.crawl.run import run as crawl
from openswerl.curate.run import run as curate
from openswerl.edits import git_patch
from openswerl.files import read_jsonl
from openswerl.records import Instance, PullRequest, read_parquet, write_parquet
from openswerl.relate.instances import problem_statement
from openswerl.relate.run import run as relate
from openswerl.stage import Job


def run_all(folder: Path, *overrides: str) -> tuple[dict, list[Instance]]:
    """Run the three data stages on folder/hours and folder/clones."""
    everything = ("data=local", f"data.path={folder / 'hours'}", f"data.clones={folder / 'clones'}", *overrides)
    inputs: dict[str, Path] = {}
    result = {}
    for stage, work in (("crawl", crawl), ("curate", curate), ("relate", relate)):
        out = folder / "out" / stage
        result = work(Job(Cell(stage, everything).view(), out, inputs, "digest"))
        inputs[stage] = out
    return result, read_parquet(folder / "out" / "relate" / "instances.parquet", Instance)


class World:
    """A repository whose pull requests each change it in one way, and the hour file that tells of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work, self.records = folder, Work(folder / "work"), []
        self.base = self.work.commit(
            {"pkg/a.py": "import pkg.b\nx = 1\n", "pkg/b.py": "y = 1\n", "pkg/c.py": "z = 1\n"}
        )

    def pull(self, number: int, files: dict, issue: tuple[str, str] | None = ("It breaks", "Often."), **fields) -> str:
        head = self.work.commit(files, fields.pop("base", self.base), ref=f"refs/pull/{number}/head")
        body = f"Fixes #{100 + number}" if issue else ""
        self.records.append(pull_record("Acme/widget", number, self.base, head, body=body, **fields))
        if issue:
            self.records.append(issue_record("Acme/widget", 100 + number, *issue))
        return head

    def write(self) -> None:
        self.work.git("update-ref", "refs/heads/main", self.base)
        self.work.mirror(self.folder / "clones" / "acme__widget.git")
        write_hour(self.folder / "hours" / "h.json.gz", *self.records)


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


def test_an_instance_holds_what_the_paper_says(world, tmp_path):
    head = world.pull(7, {"pkg/a.py": "import pkg.b\nx = 2\n", "pkg/new.py": "w = 1\n"}, (" It breaks ", "Often.\n"))
    world.write()
    result, [instance] = run_all(tmp_path)
    assert result == {"seeds": 1, "instances": 1, "dropped": {}, "related_files": 1}
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
    [row] = read_jsonl(tmp_path / "out" / "relate" / "related.jsonl")
    assert (row["instance_id"], row["path"], row["reasons"][0]) == (
        "Acme__widget-7",
        "pkg/b.py",
        "imported by pkg/a.py",
    )


def test_gold_that_no_answer_can_say_is_dropped_with_its_reason(world, tmp_path):
    world.pull(1, {"pkg/a.py": "import pkg.b\nx = 2\n"})
    world.pull(2, {"pkg/b.py": "y = 1\n# </think>\n"})
    world.pull(3, {"pkg/b.py": "y = 1\r\n"})
    world.pull(4, {"pkg/c.py": "z = 1\n>>>>>>> REPLACE\n```\nz = 2\n"})
    world.write()
    result, instances = run_all(tmp_path)
    assert [instance.instance_id for instance in instances] == ["Acme__widget-1"]
    rows = read_jsonl(tmp_path / "out" / "relate" / "dropped.jsonl")
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
    _, [instance] = run_all(tmp_path)
    assert instance.oracle == edits
    assert git_patch(instance.task.context, instance.oracle)


def test_same_input_same_bytes(world, tmp_path):
    for number in range(1, 4):
        world.pull(number, {"pkg/a.py": f"x = {number + 1}\n"})
    world.write()
    contents = []
    for _ in range(2):
        run_all(tmp_path)
        contents.append([(path.name, path.read_bytes()) for path in sorted((tmp_path / "out").rglob("*.*"))])
    assert contents[0] == contents[1]


def test_without_issues_the_pull_request_speaks_if_that_is_asked_for(world, tmp_path):
    world.pull(1, {"pkg/a.py": "x = 2\n"}, None, title="Mend x")
    world.write()
    assert run_all(tmp_path)[1] == []
    [instance] = run_all(tmp_path, "curate.require_issue=false")[1]
    assert instance.problem_statement == "Mend x"


def seed_of(folder: Path) -> PullRequest:
    return read_parquet(folder / "out" / "curate" / "pull_requests.parquet", PullRequest)[0]


def test_problem_statement_joins_issues_and_never_leaks_the_pull_request(world, tmp_path):
    world.pull(1, {"pkg/a.py": "x = 2\n"}, title="the fix is x = 2")
    world.write()
    run_all(tmp_path)
    [issue] = seed_of(tmp_path).issues
    empty = msgspec.structs.replace(issue, title="", body="")
    both = msgspec.structs.replace(seed_of(tmp_path), issues=[issue, empty, msgspec.structs.replace(issue, body="")])
    assert problem_statement(both) == "It breaks\n\nOften.\n\nIt breaks"
    assert problem_statement(msgspec.structs.replace(both, issues=[empty])) == ""


def test_a_lost_clone_is_told_and_counted(world, tmp_path, capsys):
    world.pull(1, {"pkg/a.py": "x = 2\n"})
    world.write()
    run_all(tmp_path)
    (tmp_path / "clones" / "acme__widget.git").rename(tmp_path / "gone")
    overrides = ("data=local", f"data.path={tmp_path / 'hours'}", f"data.clones={tmp_path / 'clones'}")
    job = Job(Cell("relate", overrides).view(), tmp_path / "again", {"curate": tmp_path / "out" / "curate"}, "digest")
    assert relate(job)["dropped"] == {"no_clone": 1}
    assert "relate: warning: no clone of Acme/widget in" in capsys.readouterr().err
    write_parquet(tmp_path / "out" / "curate" / "pull_requests.parquet", [], PullRequest)
    assert relate(job)["instances"] == 0


def test_real_hours_and_clones_become_instances(tmp_path):
    data, clones = os.environ.get("OPENSWERL_DATA"), os.environ.get("OPENSWERL_CLONES")
    if not data or not clones:
        pytest.skip("OPENSWERL_DATA and OPENSWERL_CLONES are not both set: real data are not tested")
    (tmp_path / "hours").symlink_to(Path(data) / "gharchive")
    (tmp_path / "clones").symlink_to(clones)
    overrides = (
        "curate.require_issue=false",
        "curate.code_suffixes=[.py]",
        "curate.max_seed_files=9",
        "relate.max_files=2",
    )
    result, instances = run_all(tmp_path, *overrides)
    assert {"isaacg1__pyth-9", "ucb-sejits__ctree-31"} <= {instance.instance_id for instance in instances}
    assert result["dropped"] == {}
    for instance in instances:
        paths = {file.path for file in instance.related_unchanged_files}
        assert 0 < len(paths) <= 2 and not paths & instance.oracle.keys()
