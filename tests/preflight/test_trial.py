"""Real short runs of the laptop model, each with a fault of its own, and what the trial makes of them."""

import shutil
import sys
from pathlib import Path

import pytest

from openswerl.config import Cell
from openswerl.files import read_jsonl
from openswerl.preflight.trial import Trial, judge_trial, try_training
from openswerl.stage import Job, required, run_cell
from openswerl.training.select import read_instances

SMALL = ("scale=smoke", "tracking.wandb=disabled")
STEPS = ("preflight.trial=30", "grpo.prompts_per_step=4", "grpo.group_size=8")
BLIND = """\
from openswerl.reward import Value

ANSWER = "search_replace"


def reward(work):
    return Value(1.0, files={})
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trial")
    for stage in ("laptop", "crawl", "curate", "relate"):
        run_cell(Cell(stage, (*SMALL, f"results={folder}")), f"openswerl.{stage}.run:run")
    return folder


@pytest.fixture
def tried(world, tmp_path):
    """Runs a trial in `tmp_path`; returns it and the metrics of its steps."""

    def run(*overrides: str) -> tuple[Trial, list[dict]]:
        cell = Cell("preflight", (*SMALL, f"results={world}", *STEPS, *overrides))
        inputs = {name: folder for before in cell.before for name, folder in required(before, cell).items()}
        job = Job(cell.view(), tmp_path, inputs, cell.digest, cell.before, cell)
        trial = try_training(job, read_instances(inputs["relate"] / "instances.parquet"))
        return trial, read_jsonl(tmp_path / "trial.jsonl")

    return run


def rewards(rows):
    return [row["reward_mean"] for row in rows]


@pytest.mark.slow
def test_a_sound_run_rises_away_from_its_start(tried):
    trial, rows = tried()
    assert (trial.word, trial.cause, len(rows)) == ("rises", None, 30)
    assert rows[-1]["kl"] is None and trial.summary["kl_end"] > 0  # measured, though laptop has no KL term


@pytest.mark.slow
@pytest.mark.parametrize(
    ("override", "cause"),
    [
        ("grpo.optimiser.lr=1e-12", "still"),
        ("grpo.kl_coefficient=100", "kl"),
        ("grpo.optimiser.lr=0.05", "far"),
    ],
)
def test_settings_that_keep_the_reward_down_are_named(tried, override, cause):
    """The same world, model and seed rise without them: most answers are malformed at first, which is not to blame."""
    trial, rows = tried(override)
    assert rows[0]["format_rate"] < 0.5
    assert (trial.word != "rises", trial.cause) == (True, cause), trial


@pytest.mark.slow
def test_a_reward_that_is_blind_is_named(tried, tmp_path, monkeypatch):
    package = tmp_path / "modules" / "blindness"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "reward.py").write_text(BLIND)
    monkeypatch.syspath_prepend(str(package.parent))
    same = ("reward.format_penalty=1.0", "grpo.truncated_reward=1.0", "preflight.trial=10")
    trial, rows = tried("reward.kind=blindness.reward", *same)
    sys.modules.pop("blindness.reward")
    assert set(rewards(rows)) == {1.0}
    assert (trial.word, trial.cause) == ("does not clearly rise", "blind_reward")


@pytest.mark.slow
def test_a_killed_trial_goes_on_to_the_same_curves(tried, tmp_path):
    """A run that stopped after four steps left its checkpoint and journals in the scratch folder."""
    settings = ("preflight.trial=6", "grpo.checkpoint_every=2")
    first, whole = tried(*settings)
    (folder,) = tmp_path.glob("work-*/trial")
    shutil.rmtree(folder / "checkpoints" / "step6")
    (tmp_path / "trial.jsonl").unlink()
    trial, again = tried(*settings)
    assert again == whole and trial.summary == first.summary


def test_too_few_steps_tell_nothing(config):
    rows = [{"reward_mean": 0.1, "format_rate": 0.9, "zero_variance": 0.2} for _ in range(5)]
    trial = judge_trial(rows, config(), 2.0, None)
    assert str(trial) == "trial: 5 steps are too few to tell"
    assert (trial.cause, trial.advice, trial.step_seconds) == (None, "", 2.0)
