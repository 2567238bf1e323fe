"""Files that people hand in, made to break what reads them: refused in one line or row by row, and never run."""

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from archive.hours import dumps, pull_event, read
from openswerl.compose import load
from openswerl.curate.benchmark import read_rows
from openswerl.errors import UserError
from openswerl.evaluate.harness.regrade import regrade
from openswerl.evaluate.harness.rows import BadRow, normalise, read_benchmark
from openswerl.rollout.replay import read_record

ROW = {
    "instance_id": "django__django-1", "repo": "django/django", "base_commit": "c" * 40, "version": "4.0",
    "problem_statement": "p", "patch": "", "test_patch": "", "FAIL_TO_PASS": '["a"]', "PASS_TO_PASS": None,
    "hints_text": "",
}  # fmt: skip
DEEP = "[" * 100_000 + "]" * 100_000
VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, [], {}, [[]], "", "\0", "..", "../../x", "/etc/passwd", "a/b/c", "--help", "a\nb",
    "\ud800", "x" * 100_000, "$(touch x)", "'; touch x; '", ["a", None], {"a": {"b": []}}, DEEP,
]  # fmt: skip
PATHS = {"instance_id": ["../../x", "a/b", "/x", "..", ".", "", "a\0", "-x/..", "a b", "x\n"]}
PATHS |= {"repo": ["../x", "a/..", "a/.", "a", "a/b/c", "/a/b", "a/b\n", "a\0/b"], "base_commit": ["--help", "-x", ""]}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in PATHS.items() for value in values])
def test_a_name_that_leads_elsewhere_is_no_row(key: str, value: str) -> None:
    bad = normalise({**ROW, key: value}, "here")
    assert isinstance(bad, BadRow) and bad.code == "unsafe_name" and "\n" not in bad.message


def hostile(rng: random.Random) -> str:
    """Return a line of a file of rows: a row with values that are none, or no JSON."""
    row: Any = {**ROW, "instance_id": f"django__django-{rng.randrange(10**9)}"}
    for key in rng.sample(sorted(ROW), rng.randrange(1, 4)):
        row[key] = rng.choice(VALUES)
    text = json.dumps(rng.choice([row, row, row, [row], rng.choice(VALUES)]))
    cut = rng.randrange(len(text) + 1)
    return rng.choice([text, text, text, text[:cut], text[:cut] + rng.choice(["\0", "}", '"', DEEP]) + text[cut:]])


def test_rows_of_a_benchmark(tmp_path: Path, given: "Counter[str]") -> None:
    rng, path = random.Random(0), tmp_path / "rows.jsonl"
    for _ in range(40):
        lines = [hostile(rng).replace("\n", " ") for _ in range(25)]
        path.write_bytes("".join(line + "\n" for line in [*lines, json.dumps(ROW)]).encode("utf-8", "surrogatepass"))
        try:
            found = read_benchmark(path)
        except UserError as error:
            assert "\n" not in str(error)
            continue
        assert any(row["instance_id"] == ROW["instance_id"] for row in found.good)
        assert all(normalise(row, "x") == row for row in found.good)
        given["rows of benchmarks"] += 25
    assert given["rows of benchmarks"] > 500


@pytest.mark.parametrize("text", ["", "[]", DEEP, "\0", "{", '"x"', "3", "null", '{"a": ' + DEEP + "}", "[[[]]]"])
@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz", "x.parquet"])
def test_a_file_that_is_none(tmp_path: Path, name: str, text: str, given: "Counter[str]") -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    for reader in (read_benchmark, lambda p: list(read_rows(p)), read_record, lambda p: regrade(p, tmp_path / "out")):
        given["files"] += 1
        try:
            reader(path)
        except UserError as error:
            assert "\n" not in str(error) and str(path) in str(error)


@pytest.mark.parametrize(
    "payload",
    [
        {"body": "x" * 10_000_000}, {"title": "\ud800\0\u202e"}, {"user": {"login": DEEP[:5000]}},
        {"number": 10**30}, {"labels": [{"name": "l"}] * 20_000}, {"merged": "yes"}, {"base": []},
        {"head": {"sha": {}}},
    ],
    ids=map(str, range(8)),
)  # fmt: skip
def test_an_event_costs_at_most_itself(tmp_path: Path, payload: dict[str, Any], given: "Counter[str]") -> None:
    """Beside it stand two good ones, and the second of these twice."""
    good, hostile_pull = [dumps(pull_event(number)) for number in (1, 2, 2)], pull_event(9)
    hostile_pull["payload"]["pull_request"] |= payload
    path = tmp_path / "2015-01-01-0.json.gz"
    path.write_bytes(gzip.compress(b"\n".join([good[0], dumps(hostile_pull), *good[1:]]) + b"\n", 1))
    rows, bad, reader = read(path)
    assert reader.account.balanced
    assert [row["number"] for row in rows if row["number"] in (1, 2)] == [1, 2, 2]
    assert len(rows) + len(bad) == 4
    given["events"] += 4


@pytest.mark.parametrize(
    "line", [DEEP, '{"id":"1","type":"PullRequestEvent","payload":' + DEEP + "}", '{"a":' * 50_000]
)
def test_deep_nesting_is_quarantined(tmp_path: Path, line: str, given: "Counter[str]") -> None:
    path = tmp_path / "2015-01-01-0.json.gz"
    path.write_bytes(gzip.compress(line.encode() + b"\n" + dumps(pull_event(1)) + b"\n", 1))
    rows, bad, reader = read(path)
    assert [row["number"] for row in rows] == [1] and bad and reader.account.balanced
    given["events"] += 2


@pytest.mark.parametrize(
    "override",
    [
        "grpo.steps=1e999", "grpo.steps=-1", "grpo.optimiser.lr=nan", "seed=[0", "seed=", "=", "grpo.steps", "a.b.c=1",
        "+grpo.new=1", "~grpo.steps", "grpo=../../etc/passwd", "grpo=/etc/passwd", "results=''",
        "grpo.steps=${oc.env:HOME}",
        "grpo.steps=${seed}${seed}", "seed=${seed}", "reward.options={a: {b: !!python/object/apply:os.system [id]}}",
        "hydra.run.dir=/", "grpo.steps=\0", "grpo.steps=\ud800", "policy=../../x", "policy=grpo-../../x", "part=x",
        "data.world.seed=99999999999999999999999", "model.path=[1]", "grpo.steps=" + "9" * 5000, "[" * 3000,
    ],
)  # fmt: skip
def test_an_override_is_taken_or_refused_in_one_line(override: str, given: "Counter[str]") -> None:
    given["overrides"] += 1
    try:
        load(override)
    except UserError as error:
        assert "\n" not in str(error)
