"""The stage: in process and through the protocol, the same greedy text and the same reward."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from misbehaving import answered, behaving, says
from openai_server import served
from openswerl.compose import ROOT
from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.preflight.run import run
from openswerl.records import Instance
from openswerl.stage import run_cell
from parquet_files import write_parquet
from training_fixtures import job_of, repair_instances

SMALL = ("scale=smoke", "preflight.instances=4", "preflight.samples=3", "tracking.wandb=disabled", "reward.workers=1")
KEY = "canary-7f3a9b"


@pytest.fixture(scope="module")
def server():
    with served(key=KEY) as server:
        yield server


@pytest.fixture(scope="module")
def look_at(tmp_path_factory):
    """Run the stage on ten instances of the laptop, with an endpoint's answers cached in one folder."""
    root = tmp_path_factory.mktemp("preflight")
    write_parquet(root / "relate" / "instances.parquet", repair_instances(10), Instance)

    def go(name: str, *overrides: str):
        folder = root / name
        folder.mkdir(exist_ok=True)
        job = job_of("preflight", folder, *SMALL, f"results={root}", *overrides, relate=root / "relate")
        return folder, run(job)

    return go


@pytest.fixture(scope="module")
def local(look_at):
    return look_at("local")


def answers(folder: Path, *, greedy: bool):
    rows = read_jsonl(folder / "samples.jsonl")
    return [(r["instance_id"], r["output"], r["reward"]) for r in rows if (r["temperature"] == 0) is greedy]


def questions(server) -> int:
    return sum((one["body"] or {}).get("max_tokens", 0) > 1 for one in server.requests())


def test_what_it_leaves_and_says(local):
    folder, result = local
    whole = json.loads((folder / "preflight.json").read_text(), parse_constant=pytest.fail)
    assert [check["passed"] for check in whole["checks"]] == [True] * 4
    assert [(one["kind"], one["asked"], one["identical"]) for one in whole["repeated"]] == [
        ("greedy", 3, 3),
        ("sampled", 3, 3),
    ]
    assert (len(answers(folder, greedy=True)), len(answers(folder, greedy=False))) == (4, 12)
    rewards = [-1.0 if reward is None else reward for _, _, reward in answers(folder, greedy=False)]  # cut off
    assert whole["numbers"]["reward_mean"] == pytest.approx(sum(rewards) / 12)
    verdict = whole["verdict"]
    assert result["verdict"] == f"{verdict['word']}: {verdict['rule']}. {verdict['advice']}"
    assert result["ready"] is verdict["ready"]
    page = (folder / "preflight.html").read_text()
    assert verdict["word"].capitalize() in page and "not SWE-bench scores" in page
    assert (folder / "preflight.png").read_bytes().startswith(b"\x89PNG")


def test_the_protocol_gives_the_same_greedy_text_and_reward_and_never_asks_again(local, look_at, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    chosen = server.overrides(token_ids="true")
    folder, _ = look_at("openai", *chosen)
    assert answers(folder, greedy=True) == answers(local[0], greedy=True)
    first = questions(server)
    assert first == 4 + 12 + 3 + 3
    again, _ = look_at("again", *chosen)
    assert questions(server) - first == 3 + 3  # repeats pass the cache by
    assert (again / "samples.jsonl").read_bytes() == (folder / "samples.jsonl").read_bytes()
    written = [path for path in folder.parent.rglob("*") if path.is_file()]
    assert len(written) > 8 and not any(KEY.encode() in path.read_bytes() for path in written)


def test_a_wrong_key_ends_it(look_at, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-wrong")
    with pytest.raises(UserError) as error:
        look_at("wrong", *server.overrides(), "seed=7")
    assert str(error.value) == (
        f"{server.base_url} answers 401: it does not accept the key in OPENAI_API_KEY (Incorrect API key provided); "
        "check that it is a key of this endpoint and still valid"
    )


def test_an_endpoint_that_grpo_may_not_sample_from_need_not_have_the_tokens_of_the_policy(look_at):
    """Its answers are texts: the laptop's tokenizer, without a chat template, has no say. It bills what it counts."""
    with behaving(says(answered())) as server:
        address = ("rollout=openai", f"rollout.endpoint.base_url={server.url}/v1", "rollout.endpoint.model=tiny")
        sizes = ("model.max_prompt_tokens=16384", "model.max_response_tokens=4096")
        folder, result = look_at("hosted", *address, "model.prompt=chat", *sizes)
    whole = json.loads((folder / "preflight.json").read_text())
    assert [check["passed"] for check in whole["checks"]] == [True, True, None, True]
    assert result["verdict"].startswith("fix the format first: 12 of 12 answers are malformed")
    assert (whole["budget"]["prompt_tokens_mean"], whole["budget"]["completion_tokens_mean"]) == (5, 1)


def test_a_trial_that_grpo_would_refuse_is_refused_before_anything_is_paid_for(look_at, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    before = len(server.requests())
    with pytest.raises(UserError, match=r"^rollout=openai never receives the weights that grpo trains"):
        look_at("refused", *server.overrides(), "preflight.trial=8", "seed=8")
    assert len(server.requests()) == before


def test_no_prompt_that_fits_is_told(look_at):
    with pytest.raises(UserError, match=r"^no prompt can be asked: 0 of 10 prompts have at most 9 tokens, the longest"):
        look_at("long", "model.max_prompt_tokens=9")


@pytest.mark.slow
def test_the_script_from_nothing_tells_a_result_again(tmp_path):
    settings = (*SMALL, f"results={tmp_path}")
    for stage in ("laptop", "crawl", "curate", "relate"):
        run_cell(Cell(stage, settings), f"openswerl.{stage}.run:run")
    first, second = (preflight(*settings) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr[-2000:]
    result = json.loads((tmp_path / "smoke/preflight/local/continuous/seed0/result.json").read_text())
    assert f"preflight: {result['verdict']}\n" in first.stdout and f"preflight: {result['verdict']}\n" in second.stdout
    assert "up to date" in second.stdout and "answers" not in second.stdout.partition("up to date")[0]
    with served(key="right") as server:
        wrong = preflight(*settings, *server.overrides(), OPENAI_API_KEY=KEY)
    assert wrong.returncode == 1 and "Traceback" not in wrong.stderr and KEY not in wrong.stderr + wrong.stdout
    (line,) = [one for one in wrong.stderr.splitlines() if "error" in one]
    assert line.startswith(f"preflight: error: {server.base_url} answers 401: ")


def preflight(*overrides: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/preflight.py", *overrides]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)


@pytest.mark.slow
def test_a_trial_trains(look_at):
    folder, _ = look_at("trial", "preflight.trial=8", "seed=1")
    trial = json.loads((folder / "preflight.json").read_text())["trial"]
    assert trial["steps"] == 8 and trial["reward"]["low"] <= trial["reward"]["slope"] <= trial["reward"]["high"]
    assert "hours in all, at the speed of the trial" in (folder / "preflight.html").read_text()
