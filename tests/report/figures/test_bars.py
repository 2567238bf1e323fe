from openswerl.report.figures.bars import BINS, shares
from openswerl.report.rows import Rollout


def test_shares_separate_errors_and_exact_matches() -> None:
    rewards = [-1.0, -0.5, 0.0, 0.05, 0.95, 0.999, 1.0, 1.0]
    rows = [Rollout(3, "i", k, reward, "") for k, reward in enumerate(rewards)] + [Rollout(4, "i", 0, 0.5, "")]
    found = shares(rows, {3})
    assert len(found) == BINS + 2
    assert {place: share for place, share in enumerate(found) if share} == {0: 25, 1: 25, 10: 25, 11: 25}
