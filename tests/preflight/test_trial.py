"""Real short runs of the laptop model, each with a fault of its own, and what the trial makes of them."""

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
        inputs = {name: folder for before in cell.before for name, folder in required(before).items()}
        job = Job(cell.view(), tmp_path, inputs, cell.digest, cell.before, cell)
        trial = try_training(job, read_instances(inputs["relate"] / "instances.parquet"))
        return trial, read_jsonl(tmp_path / "trial.jsonl")

    return run


def rewards(rows):
    return [row["reward_mean"] for row in rows]


@pytest.mark.slow
def test_a_sound_run_rises_and_measuring_kl_changes_nothing(tried, tmp_path, monkeypatch):
    trial, rows = tried()
    assert (trial.word, trial.cause, len(rows)) == ("rises", None, 30)
    assert rows[0]["kl"] == 0 < rows[-1]["kl"]  # laptop has no KL term: the trial measures it all the same
    monkeypatch.setattr("openswerl.preflight.trial.UNFELT", 0.0)
    _, unmeasured = tried("preflight.trial=6", "grpo.optimiser.final_lr=1.0")
    monkeypatch.undo()
    _, measured = tried("preflight.trial=6", "grpo.optimiser.final_lr=1.0", "seed=0", "preflight.repeats=1")
    assert rewards(unmeasured) == rewards(measured) and unmeasured[-1]["kl"] is None


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
    _, whole = tried(*settings)
    (trial_folder,) = tmp_path.glob("work-*/trial")
    newest = max((trial_folder / "checkpoints").iterdir(), key=lambda path: path.name)
    assert newest.name.endswith("6")
    import shutil

    shutil.rmtree(newest)
    (tmp_path / "trial.jsonl").unlink()
    trial, again = tried(*settings)
    assert again == whole and trial.steps == 6


def test_too_few_steps_tell_nothing(config):
    rows = [{"reward_mean": 0.1, "format_rate": 0.9, "zero_variance": 0.2} for _ in range(5)]
    trial = judge_trial(rows, config(), 2.0)
    assert str(trial) == "trial: 5 steps are too few to tell"
    assert (trial.cause, trial.advice, trial.step_seconds) == (None, "", 2.0)


def test_a_verdict_tells_the_curves(config):
    rows = [
        {"reward_mean": step / 10, "format_rate": 0.5 + step / 20, "zero_variance": 0.25, "kl": step / 100}
        for step in range(10)
    ]
    assert str(judge_trial(rows, config(), 2.0)) == (
        "trial: the reward rises, by +1.00 (+1.00 to +1.00) over 10 steps; well formed 0.5 to 0.95, KL 0.09, 0.25 of "
        "the groups without signal. Training is worth starting"
    )
