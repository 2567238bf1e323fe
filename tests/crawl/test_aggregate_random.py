import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawl.events import MEMORY_MB, Row, comment, issue, merged, write_events
from crawl.oracle import Oracle
from openswerl.crawl.aggregate import Undecided, aggregate
from openswerl.parquet import read_parquet
from openswerl.records import MergedPull

BEFORE, AFTER, LATER = "2020-01-02T03:00:00Z", "2020-01-02T03:05:00Z", "2021-01-01T00:00:00Z"

TIMES = [f"2020-01-01T00:00:0{second}Z" for second in range(8)]
BODIES = [None, "fixes #1", "closes #2, resolves c/d#1", "fix A/B#3", "Fixes https://github.com/c/d/issues/2", "text"]


def random_row(choose: Any, world: str) -> Row:
    """Return an event of a small world, in which everything collides; `choose` picks one of a list."""
    repo, number = choose(["a/b", "A/b", "c/d"]), choose([1, 2, 3])
    columns: Row = {
        "repo_id": choose([None, None, 1, 2]),
        "created_at": choose(TIMES),
        "title": choose([None, "t", "fix #2"]),
    }
    columns |= {"event_id": choose(["", "7", "12"]), "file": choose(["x", "y"]), "body": choose(BODIES)}
    if columns["repo_id"] and world:
        columns["repo_id"] += 10 * int(world)
    kind = choose(["pull", "pull", "issue", "comment", "review"])
    if kind == "pull":
        known = choose([True, True, False, None])
        columns |= {"updated_at": choose([None, *TIMES]), "merged_at": choose([None, *TIMES]) if known else None}
        columns |= {
            "action": choose(["closed", "closed", "reopened", "opened"]),
            "default_branch": choose([None, "main"]),
        }
        row = merged(repo, number, **columns | {"merged": known, "base_ref": choose(["main", "1.x"])})
    elif kind == "issue":
        row = issue(
            repo, number, **columns | {"is_pull": choose([None, False, False, True]), "labels": choose([None, ["l"]])}
        )
    else:
        said = {"comment_id": choose([None, 1, 2]), "comment_at": choose([None, *TIMES]), "action": "created"}
        said |= {"action": choose(["created"] * 5 + ["deleted"]), "comment_author": choose([None, "bob"])}
        columns |= said | {"comment_body": choose(["x", "y", " ", None])}
        row = comment(repo, number, **columns)
        row["type"] = (
            choose(["PullRequestReviewEvent", "PullRequestReviewCommentEvent"]) if kind == "review" else row["type"]
        )
    if world:
        names = {old: f"{old[0]}{world}/{old[2]}{world}" for old in ("a/b", "A/b", "c/d", "A/B")}
        row["repo"] = names[row["repo"]]
        for old, new in names.items():
            row["body"] = row["body"] and row["body"].replace(old, new)
    return row


def random_rows(rng: random.Random, count: int, world: str) -> list[Row]:
    return [random_row(rng.choice, world) for _ in range(count)]


def test_five_hundred_random_worlds_equal_the_oracle(tmp_path):
    rng = random.Random(3)
    worlds = [random_rows(rng, rng.randint(2, 25), str(number)) for number in range(1, 501)]
    rows = [row for world in worlds for row in world]
    rng.shuffle(rows)
    paths = [write_events(tmp_path / f"{number}.parquet", *rows[number::4]) for number in range(4)]
    found = aggregate(paths, tmp_path / "scratch", MEMORY_MB, [])
    expected = [pull for world in worlds for pull in Oracle(world).merged()]
    pulls = {(pull.file, pull.offset): pull for pull in read_parquet(found.pulls, MergedPull)}
    assert len(pulls) == len(expected) > 900
    for pull in expected:
        assert pulls[pull.file, pull.offset] == pull
    asked = [(row.repo.lower(), row.number) for row in read_parquet(found.undecided, Undecided)]
    assert len(asked) == sum(len(Oracle(world).undecided()) for world in worlds) > 50


@given(st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_events_equal_the_oracle(tmp_path, data):
    size = data.draw(st.integers(0, 12))
    rows = [random_row(lambda items: data.draw(st.sampled_from(items)), "") for _ in range(size)]
    found = aggregate([write_events(tmp_path / "h.parquet", *rows)], tmp_path / "scratch", MEMORY_MB, [])
    oracle = Oracle(rows)
    assert read_parquet(found.pulls, MergedPull) == oracle.merged()
    keys = [(str(row.repo_id or row.repo.lower()), row.number) for row in read_parquet(found.undecided, Undecided)]
    assert sorted(keys) == oracle.undecided()


def test_neither_the_order_of_files_nor_threads_matter(tmp_path, monkeypatch):
    rows = random_rows(random.Random(5), 400, "")
    halves = [write_events(tmp_path / f"{number}.parquet", *rows[number::3]) for number in range(3)]
    files = []
    for number, (order, threads) in enumerate([(halves, "1"), (halves[::-1], "3")]):
        monkeypatch.setenv("OPENSWERL_WORKERS", threads)
        found = aggregate(order, tmp_path / str(number), MEMORY_MB, [])
        files.append([found.pulls.read_bytes(), found.undecided.read_bytes(), found.counts])
    assert files[0] == files[1]
