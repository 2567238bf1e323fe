"""Rewards that the official code gave for 36 inputs written for this project."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from openswerl.reward import score

DATA = os.environ.get("OPENSWERL_DATA")


pytestmark = pytest.mark.skipif(DATA is None, reason="OPENSWERL_DATA is not set: no golden rewards")


def load() -> list[dict[str, Any]]:
    if DATA is None:
        return [{"name": "no data"}]
    cases: list[dict[str, Any]] = json.loads((Path(DATA) / "reward/search_replace_golden.json").read_text())["cases"]
    return cases


CASES = load()


def test_all_cases_are_there() -> None:
    assert len(CASES) == 36


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_reward_is_the_official_one(case: dict[str, Any]) -> None:
    scored = score(case["code_context"], case["oracle_new_content"], case["output"])
    assert scored.reward == pytest.approx(case["reward"], abs=1e-12)
    assert (scored.reason is not None) == case["format_error"]
    assert scored.files == pytest.approx(case["files"], abs=1e-12)
