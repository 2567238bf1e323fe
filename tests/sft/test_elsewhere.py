"""Demonstrations by a model behind an address, and from the record of its answers."""

import json

import pytest

from openai_server import served
from openswerl.files import read_jsonl
from openswerl.records import Instance
from openswerl.sft.run import run
from parquet_files import write_parquet
from training_fixtures import job_of, repair_instances

SMALL = ("scale=smoke", "tracking.wandb=disabled", "sft.steps=1", "sft.prompts=4", "sft.held_out=0")


@pytest.mark.slow
def test_the_model_elsewhere_demonstrates_and_the_record_repeats_it(tmp_path):
    write_parquet(tmp_path / "relate" / "instances.parquet", repair_instances(6), Instance)

    def start(name, *overrides):
        job = job_of("sft", tmp_path / name, *SMALL, *overrides, relate=tmp_path / "relate")
        run(job)
        return job.out

    with served() as server:
        folder = tmp_path / "responses"
        there = start("there", *server.overrides(), f"serving.folder={folder}", "serving.record=true")
        asked = server.counts()["/completions"]
        assert asked == json.loads((there / "demonstrations.json").read_text())["sampled"] > 4
        again = start("again", *server.overrides(), f"serving.folder={folder}")
        assert server.counts()["/completions"] == asked, "what was answered is not asked again"
    replayed = start("replayed", "rollout=replay", f"rollout.replay={folder / 'record.jsonl'}")
    ours, theirs, third = (read_jsonl(out / "demonstrations.jsonl") for out in (there, again, replayed))
    assert ours == theirs == third and any(row["answer"] for row in ours)
