"""Rolling checkpoints: resuming to the same bits, and what is refused."""

import json

import pytest
import torch

from models.training import RATES, policy, resumed, start, train
from openswerl.errors import UserError


@pytest.mark.parametrize(
    "settings", [{"zero_stage": 0}, {"zero_stage": 2}, {"zero_stage": 3}, {"zero_stage": 0, "lora": True}], ids=str
)
def test_a_resumed_run_is_the_undisturbed_one_to_the_bit(settings, tmp_path):
    undisturbed, again = resumed(tmp_path, **settings)
    assert undisturbed == again


def test_a_resumed_run_has_the_same_weights(tmp_path):
    engine = start()
    train(engine, RATES[:2])
    engine.save(tmp_path, 2)
    train(engine, RATES[2:])
    again = start()
    assert again.resume(tmp_path) == 2
    train(again, RATES[2:])
    assert all(map(torch.equal, again.module.parameters(), engine.module.parameters()))
    assert not torch.equal(*(model.lm_head.weight for model in (engine.module, policy())))


@pytest.fixture
def saved(tmp_path):
    """Checkpoints after steps 1, 2 and 3, of which two are kept."""
    engine = start()
    for step in (1, 2, 3):
        train(engine, RATES[:1])
        engine.save(tmp_path, step, keep=2)
    return tmp_path


def test_only_the_newest_are_kept(saved):
    assert sorted(path.name for path in saved.iterdir()) == ["step2", "step3"]
    assert start().resume(saved) == 3


def test_nothing_to_resume_from(tmp_path):
    assert start().resume(tmp_path / "none") == 0


def test_what_a_kill_left_does_not_count(saved):
    """The manifest is written last."""
    (saved / "step3" / "manifest.json").unlink()
    engine = start()
    assert engine.resume(saved) == 2
    engine.save(saved, 3)
    assert start().resume(saved) == 3


def damage(path, how):
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
    elif how == "one bit":
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["truncated", "one bit", "missing"])
def test_a_damaged_checkpoint_is_one_line(saved, how):
    name = "mp_rank_00_model_states.pt"
    damage(saved / "step3" / name, how)
    with pytest.raises(UserError) as caught:
        start().resume(saved)
    assert str(caught.value) == (
        f"the checkpoint {saved}/step3 is damaged ({name} is not what was written); "
        "delete that folder to go on from step 2"
    )


def test_a_damaged_manifest_is_one_line(saved):
    (saved / "step3" / "manifest.json").write_text('{"processes": 1')
    with pytest.raises(UserError, match=r"step3 is damaged \(manifest.json cannot be read\)"):
        start().resume(saved)


def test_another_number_of_processes_is_refused(saved):
    path = saved / "step3" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "processes": 4}))
    with pytest.raises(UserError, match="was written by 4 processes and there are 1: set processes=4"):
        start().resume(saved)
