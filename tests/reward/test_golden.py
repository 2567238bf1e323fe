"""Rewards that the official code gave for 36 inputs written for this project, and what the strict rules change."""

import json
from pathlib import Path
from typing import Any

import pytest

from openswerl.reward import score

# name: (reason, events, reward; None where it is the official one)
STRICT: dict[str, tuple[str | None, tuple[str, ...], float | None]] = {
    "line_prefix": ("partial_line", (), -1.0),
    "empty_search_existing": ("empty_search_on_file", (), -1.0),
    "two_blocks_one_fence": ("marker_inside_block", (), -1.0),
    "empty_search_no_blank_line": (None, ("missing_blank_line",), 0.0),
    "crlf_response": (None, ("line_ends",), 1.0),
    "path_trailing_space": (None, ("path_spaces",), 1.0),
    "path_dot_slash": (None, ("dot_slash",), 1.0),
    "search_twice": (None, ("several_matches",), None),
    "good_plus_malformed": (None, ("incomplete_block",), None),
    "crlf_files": (None, ("line_ends",), None),
}
DELETED_TWICE = "empty_replace_no_blank_line"


@pytest.fixture(scope="module")
def cases(data_folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((data_folder / "reward/search_replace_golden.json").read_text())["cases"]
    return found


def inputs(case: dict[str, Any]) -> tuple[dict[str, str], dict[str, str], str]:
    return case["code_context"], case["oracle_new_content"], case["output"]


def test_all_cases_are_there(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 36
    assert STRICT.keys() | {DELETED_TWICE} <= {case["name"] for case in cases}


def test_by_the_paper_s_rules_every_bit_is_the_official_one(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        scored = score(*inputs(case))
        assert (scored.reward, scored.files) == (case["reward"], case["files"]), case["name"]
        assert (scored.reason is not None) == case["format_error"], case["name"]


def test_by_the_strict_rules_the_documented_cases_differ_and_no_other(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        if case["name"] == DELETED_TWICE:
            continue
        scored = score(*inputs(case), compat="strict")
        reason, events, reward = STRICT.get(case["name"], (score(*inputs(case)).reason, (), None))
        assert (scored.reason, scored.events) == (reason, events), case["name"]
        assert scored.reward == (case["reward"] if reward is None else reward), case["name"]


def test_a_deletion_without_a_blank_line_removes_the_lines(cases: list[dict[str, Any]]) -> None:
    """The line stands twice in the file and the oracle rewrites one: both go, so similarity is below 1 and above 0."""
    case = next(case for case in cases if case["name"] == DELETED_TWICE)
    scored = score(*inputs(case), compat="strict")
    assert (scored.reason, scored.events) == (None, ("missing_blank_line", "several_matches"))
    assert scored.reward is not None and 0.5 < scored.reward < 1
