import json

from openswerl.archive.download import hours_between
from openswerl.archive.spans import spans
from openswerl.compose import load


def hours(data):
    return hours_between(data.start, data.end)


def test_the_sample_is_two_hours_of_one_month():
    data = load("data=sample").data
    assert (data.source, spans(data)) == ("gharchive", ["2015-01"])
    assert hours(data) == ["2015-01-01-0", "2015-01-01-1"]


def test_the_samples_repositories_are_those_of_the_expected_records(data_folder):
    """All under permissive licences, each with a merged pull request in the two hours, and small to clone."""
    data = load("data=sample").data
    records = json.loads((data_folder / "gharchive" / "expected.json").read_text())["records"]
    there = {one["repo"] for one in records if one["event_file"].split(".")[0] in hours(data)}
    assert {repo.lower() for repo in data.repositories} == {repo.lower() for repo in there}


def test_every_hour_of_the_paper_is_in_one_of_its_spans():
    data = load("data=paper").data
    assert {name[:7] for name in hours(data)} == set(spans(data))


def test_the_waits_outlast_githubs_hour():
    network = load().network
    assert (network.attempts - 1) * network.max_wait_s >= 3600
