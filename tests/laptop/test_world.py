"""The generated world: real git, real archive hours, a benchmark whose verdicts hold in a real test run."""

import gzip
import json
import random
import re
import subprocess
import sys
from collections import Counter

import pytest

from openswerl.config import Cell
from openswerl.laptop.fixes import fix_something
from openswerl.laptop.functions import is_held_out
from openswerl.laptop.repository import found
from openswerl.laptop.run import run
from openswerl.laptop.templates import TRAIN
from openswerl.stage import Job

OPTIONS = ["-rA", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]


def git(repository, *arguments):
    command = ["git", "-c", "safe.directory=*", "--git-dir", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def events(out):
    return [json.loads(line) for path in sorted(out.glob("gharchive/*.json.gz")) for line in gzip.open(path, "rt")]


def rows(out):
    return [json.loads(line) for line in (out / "benchmark" / "rows.jsonl").read_text().splitlines()]


def test_archive_and_git_tell_the_same_story(world):
    out, summary = world
    merged = [e for e in events(out) if e["type"] == "PullRequestEvent" and e["payload"]["action"] == "closed"]
    assert len(merged) == summary["pull_requests"] > 0
    for event in merged:
        pull = event["payload"]["pull_request"]
        repository = out / "repos" / f"{event['repo']['name'].replace('/', '__')}.git"
        base, head = pull["base"]["sha"], pull["head"]["sha"]
        merge_base = git(repository, "merge-base", base, head).strip()
        lines = git(repository, "diff", "--numstat", "--no-renames", merge_base, head).splitlines()
        assert pull["changed_files"] == len(lines)
        assert pull["additions"] == sum(int(line.split()[0]) for line in lines)
        assert pull["commits"] == int(git(repository, "rev-list", "--count", f"{merge_base}..{head}"))
        assert git(repository, "rev-parse", f"refs/pull/{pull['number']}/head").strip() == head


def test_repositories_are_sound_and_varied(world):
    out, _ = world
    parents, moved = Counter(), 0
    for repository in sorted((out / "repos").iterdir()):
        git(repository, "fsck", "--strict")
        parents.update(len(line.split()) - 1 for line in git(repository, "rev-list", "--parents", "main").splitlines())
    for event in events(out):
        if event["type"] == "PullRequestEvent" and event["payload"]["action"] == "closed":
            pull = event["payload"]["pull_request"]
            repository = out / "repos" / f"{event['repo']['name'].replace('/', '__')}.git"
            base = pull["base"]["sha"]
            moved += git(repository, "merge-base", base, pull["head"]["sha"]).strip() != base
    assert parents[0] == 6 and parents[1] > 0 and parents[2] > 0  # roots, squashes and pushes, merges
    assert moved > 0  # the base is not always the merge base


@pytest.mark.slow
def test_benchmark_verdicts_hold_in_a_fresh_pytest(world, tmp_path):
    out, _ = world
    for row in [row for split in ("gate", "templates") for row in rows(out) if row["split"] == split][::3]:
        tree = tmp_path / row["instance_id"]
        repository = out / "repos" / f"{row['repo'].replace('/', '__')}.git"
        subprocess.run(["git", "clone", "-q", str(repository), str(tree)], check=True)
        subprocess.run(["git", "checkout", "-q", row["base_commit"]], cwd=tree, check=True)
        apply(tree, row["test_patch"])
        assert failing(tree, row) == set(json.loads(row["FAIL_TO_PASS"])) != set()
        apply(tree, row["patch"])
        assert failing(tree, row) == set()


def apply(tree, patch):
    subprocess.run(["git", "apply"], input=patch, text=True, cwd=tree, check=True)


def failing(tree, row):
    paths = re.findall(r" (tests/\S+)", re.search(r"pytest (.*)", row["eval_script"])[0])
    command = [sys.executable, "-m", "pytest", *OPTIONS, *paths]
    printed = subprocess.run(command, cwd=tree, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}).stdout
    results = dict(line.split()[:2][::-1] for line in printed.splitlines() if line.startswith(("PASSED", "FAILED")))
    named = set(json.loads(row["FAIL_TO_PASS"]) + json.loads(row["PASS_TO_PASS"]))
    assert results.keys() == named
    return {test for test, result in results.items() if result == "FAILED"}


def test_every_row_guards_tests_of_several_files(world):
    out, _ = world
    for row in rows(out):
        kept = json.loads(row["PASS_TO_PASS"])
        assert len(kept) >= 6 and len({name.partition("::")[0] for name in kept}) >= 3
        assert not any(name.partition("::")[0] in row["test_patch"] for name in kept)


def test_some_fixes_of_held_out_repositories_change_two_files():
    plans = []
    for seed in range(15):
        repository = found("o/shop", "shop", random.Random(seed), TRAIN, held=True, untidy=True, pulls=18)
        plans += [fix_something(repository, with_tests=True) for _ in range(18)]
    double = [plan for plan in plans if len(plan.tests) == 2]
    assert 0.08 < len(double) / len(plans) < 0.25
    for plan in double:
        assert len({file.module for file in plan.tests}) == 2
        for file in plan.tests:
            assert not any(check.passes(plan.bugs[file.module, check.function]) for check in file.checks)


def test_held_out_names_and_repositories_are_unseen(world):
    out, _ = world
    held = set((out / "benchmark" / "repositories.txt").read_text().split())
    assert {row["repo"] for row in rows(out)} == held
    for repository in (out / "repos").iterdir():
        name = repository.name.removesuffix(".git").replace("__", "/")
        source = git(repository, "grep", "-ho", r"^def [a-z_]*", "main", "--", f"{name.split('/')[1]}/*.py")
        names = [line.split()[1] for line in source.splitlines()]
        assert names and all(is_held_out(function) == (name in held) for function in names)


def test_issues_do_not_show_the_fix(world):
    out, _ = world
    for row in rows(out):
        lines = [line for line in row["patch"].splitlines() if not line.startswith("+++")]
        added = [line[1:].strip() for line in lines if line.startswith("+")]
        assert added and not any(line in row["problem_statement"] for line in added)


def test_same_seed_same_bytes(world, tmp_path):
    out, _ = world
    cell = Cell("laptop", ("scale=smoke",))
    run(Job(cell.view(), tmp_path, {}, cell.digest))
    for path in [*out.glob("gharchive/*"), *out.glob("benchmark/*")]:
        assert (tmp_path / path.relative_to(out)).read_bytes() == path.read_bytes()
