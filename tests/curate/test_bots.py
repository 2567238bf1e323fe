import gzip
import json

import pytest

from curate.pulls import change
from openswerl.curate.bots import bots


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"author_type": "Bot", "author": "ci"}, "bot_type"),
        ({"author": "pull[bot]"}, "bot_suffix"),
        ({"author": "Snyk-Bot"}, "bot_name"),
        ({"author": "ImgBot"}, "bot_name"),
        ({"author": "dependabot-preview"}, "bot_keyword"),
        ({"title": "Bump lodash from 4.17.20 to 4.17.21"}, "bot_keyword"),
        ({"body": "Opened by renovate."}, "bot_keyword"),
        ({"body": "on behalf of mergify[bot]"}, "bot_keyword"),
        ({"title": "Bumps and bumpers, renovated"}, None),
        ({"title": "Handle robots", "body": "abottle"}, None),
        ({"author": "pull"}, "bot_name"),
        ({"author": "pulley"}, None),
        ({}, None),
    ],
)
def test_bots(rules, fields, reason):
    assert bots(change(**fields), rules) == reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"author_type": "Bot", "author": "ci"}, None),  # the paper knows keywords alone
        ({"author": "snyk-bot"}, None),
        ({"author": "anyone[bot]"}, "bot_keyword"),
        ({"author": "dependabot-preview"}, "bot_keyword"),
        ({"title": "Bumps and bumpers"}, "bot_keyword"),
        ({"body": "Renovated the kitchen"}, "bot_keyword"),
        ({"title": "AutoMerge when green"}, "bot_keyword"),
        ({"author": "secretrobotron"}, None),
    ],
)
def test_the_papers_keywords_are_substrings(paper, fields, reason):
    assert bots(change(**fields), paper) == reason


@pytest.mark.parametrize(
    ("author", "kind", "reason"),
    [
        ("github-actions", "Bot", "bot_type"),
        ("dependabot[bot]", "User", "bot_suffix"),
        ("dependabot-preview[bot]", "Bot", "bot_type"),
        ("mergify", "User", "bot_name"),
        ("snyk-bot", "User", "bot_name"),
        ("secretrobotron", "User", None),
        ("robot-dreams", "User", None),
    ],
)
def test_pitfall_16_bots_by_type_suffix_or_list_and_never_by_substring(rules, author, kind, reason):
    assert bots(change(author=author, author_type=kind), rules) == reason


def test_pitfall_16_bots_of_real_hours(rules, data_folder):
    found = set()
    for name in ("2021-07-21-few-hours.json.gz", "2015-01-01-0.prissue.json.gz", "2015-01-01-1.prissue.json.gz"):
        with gzip.open(data_folder / "gharchive" / name, "rt", encoding="utf-8") as file:
            for event in map(json.loads, file):
                if event["type"] == "PullRequestEvent":
                    user = event["payload"]["pull_request"]["user"]
                    if bots(change(author=user["login"], author_type=user["type"]), rules):
                        found.add(user["login"])
    assert found == {
        "dependabot-preview[bot]",
        "dependabot[bot]",
        "github-actions[bot]",
        "imgbot[bot]",
        "pull[bot]",
        "renovate[bot]",
    }
