import numpy as np

from figure_runs import texts, training
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.histogram import BINS, heat_map, shares
from openswerl.report.rows import Rollout


def test_shares_separate_errors_and_exact_matches() -> None:
    rewards = [-1.0, -0.5, 0.0, 0.05, 0.95, 0.999, 1.0, 1.0]
    rows = [Rollout(3, "i", k, reward, "") for k, reward in enumerate(rewards)] + [Rollout(4, "i", 0, 0.5, "")]
    found = shares(rows, {3})
    assert len(found) == BINS + 2
    assert {place: share for place, share in enumerate(found) if share} == {0: 25, 1: 25, 10: 25, 11: 25}


def test_shares_of_all_seeds_agree_with_numpy() -> None:
    rewards = np.random.default_rng(2).uniform(0, 1, 600)
    rows = [Rollout(k % 7, "i", k, float(reward), "") for k, reward in enumerate(rewards)]
    counts, _ = np.histogram([row.reward for row in rows if row.step < 4], bins=BINS, range=(0, 1))
    assert np.allclose(shares(rows, set(range(4)))[1:-1], 100 * counts / counts.sum())


def test_a_column_is_a_part_of_the_steps_over_all_seeds(setting: Setting) -> None:
    runs = [training("continuous", 0, [0.0] * 80, (1.0, 0.25)), training("continuous", 1, [0.0] * 80, (1.0, -1.0))]
    found = heat_map(runs, setting)
    shown = texts(found.svg)
    columns = [str(k) for k in range(10, 90, 10)]
    assert [text for text in shown if text in columns][:8] == columns
    assert (shown.count("50"), shown.count("25")) == (8 + 1, 16), "a half is 1, a quarter each in two other rows"
    assert {"error", "from 0", "from 0.2", "from 0.9", "exactly 1"} <= set(shown)
    assert "n = 2 runs of 80 steps, 320 samples" in found.caption


def test_a_reward_without_values_between_has_three_rows(setting: Setting) -> None:
    shown = texts(heat_map([training("discrete@tidy", 0, [0.0] * 3, (1.0, 0.0, -1.0, -1.0))], setting).svg)
    assert {"error", "0", "exactly 1", "Rewards of discrete (tidy), % of samples"} <= set(shown)
    assert not [text for text in shown if text.startswith("from")]
    assert (shown.count("50"), shown.count("25")) == (3, 6)


def test_samples_that_were_never_scored_are_in_no_share(setting: Setting) -> None:
    run = training("continuous", 0, [None], ())
    run.rollouts.append(Rollout(0, "i", 0, None, ""))
    assert "0 samples" not in heat_map([run], setting).caption
    assert shares(run.rollouts, {0}).sum() == 0
