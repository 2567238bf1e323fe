from openswerl.compose import load
from openswerl.reward.adapters.scoring import DEFAULTS


def test_the_rules_elsewhere_are_those_of_our_own_training():
    cfg = load()
    assert {"compat": cfg.edits.name, "time_limit_s": cfg.reward.time_limit_s} == DEFAULTS
