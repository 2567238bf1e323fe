"""What was recorded is given again, and what was not is told."""

import subprocess
import sys

import pytest
from msgspec import structs

from echo_server import answer, settings
from openswerl.config import load
from openswerl.errors import UserError
from openswerl.rollout import Usage, open_sampler
from servers import running, status

ASK = {"samples": 2, "temperature": 1.0, "seeds": [1, 2]}
CHAT = [{"role": "user", "content": "hé\n"}]


def record(folder, prompts, *overrides, script=()):
    """Ask an endpoint and record it; returns the completions."""
    with running(answer) as server:
        server.script["/v1/completions"] = list(script)
        cfg = load(*settings(server.url, folder), "serving.record=true", "serving.cache=false", *overrides)
        sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, "")
        try:
            return sampler.generate(prompts, **ASK)
        finally:
            sampler.close()


def replay(path):
    cfg = load("rollout=replay", f"rollout.replay={path}")
    return open_sampler(cfg.model, cfg.rollout, cfg.serving, "")


def test_every_answer_comes_again_whole_in_any_order(tmp_path):
    asked = record(tmp_path, ["a", "b"])
    assert {one.usage for row in asked for one in row} == {Usage(3, 2, 1)}
    drawn = [[structs.replace(one, usage=Usage(3, 2, 0)) for one in row] for row in asked]  # nothing is sent now
    sampler = replay(tmp_path / "record.jsonl")
    assert sampler.generate(["a", "b"], **ASK) == drawn
    assert sampler.generate(["b"], samples=2, temperature=1.0, seeds=[2]) == drawn[1:]
    assert [one.text for one in drawn[0]] != [one.text for one in drawn[1]]


@pytest.mark.parametrize(
    "asked",
    [
        {"prompts": ["c"], "samples": 1, "temperature": 1.0, "seeds": [1]},
        {"prompts": ["a"], "samples": 1, "temperature": 0.5, "seeds": [1]},
        {"prompts": ["a"], "samples": 1, "temperature": 1.0, "seeds": [3]},
    ],
)
def test_what_was_not_asked_so_was_not_recorded(tmp_path, capsys, asked):
    record(tmp_path, ["a", "b"])
    sampler = replay(tmp_path / "record.jsonl")
    sampler.generate(["a"], samples=1, temperature=1.0, seeds=[1])
    (one,) = sampler.generate(**asked)[0]
    assert (one.text, one.finished, one.fault) == ("", False, "not_recorded")
    sampler.close()
    assert capsys.readouterr().err.endswith(f"replay: 1 of 2 answers are not in {tmp_path / 'record.jsonl'}\n")


def test_a_record_of_something_else_is_one_line(tmp_path):
    record(tmp_path, ["a", "b"])
    path = tmp_path / "record.jsonl"
    with pytest.raises(UserError) as error:
        replay(path).generate(["x", "y"], **ASK)
    assert str(error.value) == (
        f"{path} holds none of the 4 answers that are asked for first: other prompts, seeds or temperatures were "
        "recorded; repeat that run's settings, or record these with serving.record=true"
    )


def test_faults_are_not_recorded(tmp_path):
    drawn = record(tmp_path, ["a", "b"], "serving.attempts=1", "serving.connections=1", script=[status(500)])
    assert [one.fault for row in drawn for one in row] == ["server_error", None, None, None]
    again = replay(tmp_path / "record.jsonl").generate(["a", "b"], **ASK)
    assert [one.fault for row in again for one in row] == ["not_recorded", None, None, None]


def test_a_second_run_appends_and_what_a_kill_left_of_a_line_spoils_nothing(tmp_path, capsys):
    path = tmp_path / "record.jsonl"
    record(tmp_path, ["a", "b"])
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:70])
    record(tmp_path, ["c", "d"])
    sampler = replay(path)
    assert capsys.readouterr().err.endswith(f"replay: warning: 1 lines of {path} are damaged\n")
    faults = [
        one.fault for prompts in (["a", "b"], ["c", "d"]) for row in sampler.generate(prompts, **ASK) for one in row
    ]
    assert faults == [None] * 8


def test_a_prompt_that_was_too_long_is_too_long_again(tmp_path):
    with running(answer) as server:
        cfg = load(*settings(server.url, tmp_path), "serving.record=true", "model.max_prompt_tokens=4")
        sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, "")
        assert [sampler.fits(prompt) for prompt in ("short", "much too long")] == [True, False]
        sampler.generate(["short"], samples=1, temperature=0.0, seeds=[0])
        sampler.close()
    again = replay(tmp_path / "record.jsonl")
    assert [again.fits(prompt) for prompt in ("short", "much too long", CHAT)] == [True, False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"rollout\.replay=.*record.jsonl cannot be read: No such file or directory"),
        (b"", r"rollout\.replay=.*record.jsonl holds no answer; record some with serving\.record=true"),
    ],
)
def test_a_record_that_is_none_is_one_line(tmp_path, content, message):
    path = tmp_path / "record.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=f"^{message}$"):
        replay(path)


def test_without_a_record_nothing_can_be_replayed():
    cfg = load("rollout=replay")
    with pytest.raises(UserError, match=r"^rollout=replay needs rollout\.replay, a record\.jsonl written under"):
        open_sampler(cfg.model, cfg.rollout, cfg.serving, "")


def test_torch_is_not_needed():
    code = "import sys, openswerl.rollout.replay, openswerl.rollout.openai; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
