import gzip
import json

import pytest

from curate.pulls import change, changed
from openswerl.curate.filters import forks, licence, size


def test_size(rules):
    many = [changed(f"{n}.py") for n in range(rules.cfg.max_changed_files + 1)]
    assert size(change(changed_files=[]), rules) == "empty_change"
    assert size(change(changed_files=many), rules) == "too_many_files"
    assert size(change(changed_files=many[:-1]), rules) is None
    assert size(change(oracle_diff="é" * (rules.cfg.max_diff_bytes // 2 + 1)), rules) == "diff_too_large"
    assert size(change(oracle_diff="é" * (rules.cfg.max_diff_bytes // 2)), rules) is None


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ("MIT", None),
        ("Apache-2.0", None),
        ("GPL-3.0-only", "licence_not_allowed"),
        ("mit", "licence_not_allowed"),  # SPDX ids are case-sensitive here, as crawl writes them
        ("", "unknown_licence"),  # no file, or an empty one, as in uber/charlatan
    ],
)
def test_licence(rules, found, reason):
    assert licence(change(licence=found), rules) == reason


def test_unknown_licences_can_be_kept(rules_with):
    rules = rules_with(keep_unknown_licence=True)
    assert licence(change(licence=""), rules) is None
    assert licence(change(licence="GPL-3.0-only"), rules) == "licence_not_allowed"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"title": "[pull] master from rampageX:master"}, "sync_title"),
        ({"title": "Merge upstream changes", "fork": None}, "sync_title"),
        ({"title": "Merge upstream changes", "fork": False}, None),
        ({"title": "Upstreaming the widget"}, None),
        ({"title": "Tell how to merge upstream"}, None),
        ({"head_repo_id": 5}, "head_in_upstream"),
        ({"head_repo_id": 77}, None),  # a branch of the fork itself
        ({"head_repo_id": 900}, None),  # a contributor's fork of the fork
        ({"head_repo_id": None}, None),  # deleted
        ({"head_repo_id": 5, "fork": False}, None),
        ({"head_repo_id": 5, "fork": None}, None),
    ],
)
def test_pitfall_21_an_upstreams_history_in_its_fork(rules, fields, reason):
    assert forks(change(**{"fork": True, "repo_id": 77} | fields), rules) == reason


def test_pitfall_21_fork_syncs_of_real_hours(rules, data_folder):
    """A head that is no fork cannot be a contributor's: it is the upstream itself."""
    upstream, dropped = set(), set()
    for path in sorted((data_folder / "gharchive").glob("20*.json.gz")):
        if path.name.startswith("2012"):
            continue
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for event in map(json.loads, file):
                if event["type"] == "PullRequestEvent" and event["payload"]["pull_request"]["base"]["repo"]["fork"]:
                    pull = event["payload"]["pull_request"]
                    head, base = pull["head"]["repo"] or {"id": None, "fork": True}, pull["base"]["repo"]
                    name = (base["full_name"], pull["number"])
                    one = change(title=pull["title"], fork=True, repo_id=base["id"], head_repo_id=head["id"])
                    dropped |= {name} if forks(one, rules) else set()
                    upstream |= {name} if not head["fork"] else set()
    assert ("PokemonMillennium/Pokemon-Showdown", 42) in upstream and len(upstream) >= 10
    assert upstream <= dropped
    assert ("ucb-sejits/ctree", 31) not in dropped
