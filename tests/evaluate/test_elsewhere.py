"""A model behind an address under evaluation, and its answers once more from a record."""

from pathlib import Path
from typing import Any

import pytest

from openai_server import served
from openswerl.evaluate.run import run
from openswerl.rollout import Completion

SMALL = ("evaluate.samples=1", "model.max_response_tokens=24", "model.max_prompt_tokens=800")


def _greedy(stage: Any, *overrides: str) -> list[tuple[str, Any, Any]]:
    run(stage.job("base", *SMALL, *overrides))
    rows = [row for row in stage.outcomes("base") if row["decoding"] == "greedy"]
    return [(row["status"], row["reason"], row["output"]) for row in rows]


@pytest.mark.slow
def test_the_same_answers_come_from_the_model_here_there_and_from_the_record(stage: Any, tmp_path: Path) -> None:
    stage.gate()
    here = _greedy(stage)
    with served() as server:
        folder = f"serving.folder={tmp_path / 'responses'}"
        there = _greedy(stage, *server.overrides(), folder, "serving.record=true")
        assert server.counts() == {"/completions": 6}, "three instances, greedy and one sample each"
    again = _greedy(stage, "rollout=replay", f"rollout.replay={tmp_path / 'responses' / 'record.jsonl'}")
    assert here == there == again and all(output for _, _, output in here)


def test_answers_that_never_came_are_no_format_errors_and_are_told(stage: Any, table: Any, capsys: Any) -> None:
    class Faulty(table):
        def _answer(self, prompt: str, number: int, temperature: float) -> Completion:
            return Completion("", [], False, fault="rate_limit" if "shout" in prompt else "too_slow")

    stage.gate()
    sampler = Faulty({}, {})
    result = stage.run("base", sampler)
    assert {(row["status"], row["reason"]) for row in stage.outcomes("base")} == {
        ("error", "rate_limit"),
        ("error", "too_slow"),
    }
    assert result["splits"]["gate"]["greedy"]["statuses"] == {"error": 2} and sampler.closed
    assert (
        "evaluate base: WARNING: 12 answers never came (rate_limit 4, too_slow 8) and are in no rate; "
        "snakemake --force asks for them again" in capsys.readouterr().out
    )
