"""grpo on a server's answers as people run it: killed and run again, with a key that must be written nowhere."""

import json
import shutil

import pytest

from grpo_runs import Runs
from openai_server import served
from openswerl.rollout.endpoint.responses import Responses

KEY = "sk-canary-0d4f77a1e9"
WANDB_KEY = "canary0d4f77a1e9" * 3
SETTINGS = ("rollout.off_policy=true", "rollout.stale=correct", "tracking.wandb=offline", "serving.debug=true")


def questions(server):
    """Every request for an answer so far; those of one token compare tokenizers."""
    return [json.dumps(one["body"]) for one in server.requests() if (one["body"] or {}).get("max_tokens", 0) > 1]


def kept(run):
    """How many answers are on disk."""
    return Responses(run.out.parents[3] / "responses" / "responses.sqlite").count()


@pytest.mark.slow
def test_a_killed_run_pays_for_no_answer_twice_and_writes_its_key_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("WANDB_API_KEY", WANDB_KEY)
    with served(key=KEY) as server:
        runs = Runs(tmp_path)
        killed, undisturbed = (runs.new(name, *server.overrides(), *SETTINGS) for name in ("killed", "undisturbed"))
        killed.kill_when(lambda: killed.steps() == 3)
        asked, had = len(questions(server)), kept(killed)
        assert 0 < had <= asked
        printed = killed.finish()
        assert "resuming after step 2" in printed
        assert len(questions(server)) - asked == kept(killed) - had
        answers = tmp_path / "killed" / "responses"
        shutil.copytree(answers, tmp_path / "undisturbed" / "responses", ignore=shutil.ignore_patterns("debug-*"))
        before = len(questions(server))
        printed += undisturbed.finish()
        assert len(questions(server)) == before
    assert killed.differing(undisturbed) == []
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    mirrors = [name for name in written if name.suffix == ".wandb"]
    assert len(mirrors) == 2 and all(b"OPENAI_API_KEY" in written[name] for name in mirrors)  # they can be searched
    assert any(name.name.startswith("debug-") for name in written)
    for key in (KEY, WANDB_KEY):
        assert key not in printed and not [name for name, content in written.items() if key.encode() in content]
