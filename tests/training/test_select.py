"""What is trained on: prompts that fit and golden answers that earn 1; everything else is named with its reason."""

import msgspec
import pytest

from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.models.checkpoint import base_checkpoint, encode, load_policy
from openswerl.models.prompts import prompt_of
from openswerl.records import Instance, SourceFile
from openswerl.reward import open_rewards
from openswerl.training.select import read_instances, select
from parquet_files import write_parquet
from training_fixtures import SMALL, job_of


@pytest.fixture(scope="module")
def tokenizer(config):
    cfg = config()
    return load_policy(cfg.model, base_checkpoint(cfg.model))[1]


def select_from(found, tokenizer, folder, *overrides):
    job = job_of("grpo", folder, *SMALL, *overrides)
    with open_rewards(job.cfg.reward, job.cfg.edits) as rewards:
        return job, select(job, found, tokenizer, rewards)


@pytest.fixture
def bad(instance):
    """An instance whose oracle changes nothing, and one with a tag in its text."""
    same = msgspec.structs.replace(instance, instance_id="same", oracle_new_content=instance.changed_files)
    tag = [SourceFile("m.py", "def f(a):\n    '<think>'\n    return a + 1\n")]
    return [same, msgspec.structs.replace(instance, instance_id="tag", oracle_new_content=tag)]


def test_what_cannot_be_trained_on_is_named(tasks, bad, tokenizer, config, tmp_path):
    lengths = sorted(len(encode(tokenizer, prompt_of(task, config()), 400)) for task in tasks)
    settings = (f"model.max_prompt_tokens={lengths[20]}", "reward.max_unscorable=0.5")
    _, selection = select_from([*tasks, *bad], tokenizer, tmp_path, *settings)
    assert selection.reasons == {
        "empty_oracle": 1,
        "gold_inexpressible": 1,
        "prompt_too_long": sum(length > lengths[20] for length in lengths),
    }
    assert len(selection.instances) + len(selection.left_out) == len(tasks) + 2
    assert {item.instance_id for item in selection.instances}.isdisjoint(dict(selection.left_out))
    rows = read_jsonl(tmp_path / "quarantine.jsonl")
    assert {row["instance_id"]: row["reason"] for row in rows} == dict(selection.left_out)


def test_too_many_golden_answers_that_do_not_score_are_refused(tasks, bad, tokenizer, tmp_path):
    with pytest.raises(
        UserError, match=r"golden answer does not earn 1\.0 on 2 of 6 instances .* reward.max_unscorable"
    ):
        select_from([*tasks[:4], *bad], tokenizer, tmp_path)
    rows = read_jsonl(tmp_path / "quarantine.jsonl")
    assert {row["instance_id"]: row["reason"] for row in rows} == {"same": "empty_oracle", "tag": "gold_inexpressible"}
    assert not list(tmp_path.glob("work-*/*"))  # mended data are looked at anew


def test_a_choice_is_made_once(tasks, bad, tokenizer, tmp_path):
    """Without rewards nothing can be scored, so that the second choice can only be the first."""
    found = [*tasks, bad[0]]
    job, first = select_from(found, tokenizer, tmp_path)
    quarantine = tmp_path / "quarantine.jsonl"
    written = quarantine.read_bytes()
    quarantine.unlink()
    assert select(job, found, tokenizer, None) == first and first.left_out == [("same", "empty_oracle")]
    assert quarantine.read_bytes() == written


def test_nothing_that_fits_is_refused(tasks, tokenizer, tmp_path):
    with pytest.raises(UserError, match=r"no instance of relate has a prompt within model.max_prompt_tokens=20"):
        select_from(tasks, tokenizer, tmp_path, "model.max_prompt_tokens=20")
    assert len(read_jsonl(tmp_path / "quarantine.jsonl")) == len(tasks)


def test_no_data_is_refused(tmp_path):
    write_parquet(tmp_path / "instances.parquet", [], Instance)
    with pytest.raises(UserError, match=r"instances\.parquet holds no instance; funnel\.csv of curate"):
        read_instances(tmp_path / "instances.parquet")
