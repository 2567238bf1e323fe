"""What `tracking` opens, and what is told before any work."""

import pytest

from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.tracking import tensorboard
from openswerl.tracking.mirror import Late, Mirror
from openswerl.tracking.opening import open_mirror


@pytest.mark.parametrize(("mode", "expected"), [(None, "offline"), ("online", "online"), ("disabled", "disabled")])
def test_the_variable_of_wandb_chooses_the_mode(monkeypatch, tmp_path, mode, expected):
    monkeypatch.delenv("WANDB_MODE")
    if mode:
        monkeypatch.setenv("WANDB_MODE", mode)
    here = f"results={tmp_path}"  # composed anew
    assert Cell("grpo", (here,)).cfg.tracking.wandb == expected
    assert Cell("grpo", (here, "tracking.wandb=disabled")).cfg.tracking.wandb == "disabled"


def test_a_mode_that_we_do_not_have_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "dryrun")
    with pytest.raises(UserError) as raised:
        _ = Cell("grpo", (f"results={tmp_path}",)).cfg
    assert str(raised.value) == (
        "config: tracking.wandb=dryrun is unknown: choose offline, online or disabled (WANDB_MODE sets it)"
    )


def test_a_stage_that_is_no_stage_is_one_line():
    with pytest.raises(UserError, match=r"^config: tracking\.upload=grp is no stage: choose of laptop, archive, "):
        _ = Cell("grpo", ("tracking.upload=[grp]",)).cfg


@pytest.mark.parametrize(
    ("overrides", "count"),
    [
        (("tracking.wandb=disabled",), 0),
        (("tracking.wandb=offline",), 1),
        (("tracking.wandb=offline", "tracking.tensorboard=true"), 2),
    ],
)
def test_nothing_is_opened_before_the_first_word(monkeypatch, tmp_path, overrides, count):
    monkeypatch.setattr(tensorboard.importlib.util, "find_spec", lambda name: name)
    cell = Cell("grpo", (f"results={tmp_path}", *overrides))
    mirror = open_mirror(cell)
    assert type(mirror) is (Late if count else Mirror) and list(tmp_path.iterdir()) == []
    assert count == 0 or len(mirror.openers) == count


def test_without_tensorboard_it_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(tensorboard.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError) as raised:
        open_mirror(Cell("grpo", (f"results={tmp_path}", "tracking.tensorboard=true")))
    assert str(raised.value) == ("tracking.tensorboard=true needs TensorBoard: pip install 'open-swe-rl[tensorboard]'")
