"""The funnel beside the paper's three counts."""

import pandas as pd

from openswerl.report.rows import FunnelRow
from openswerl.report.tables.data import funnel


def rows(*steps: str) -> list[FunnelRow]:
    return [FunnelRow(step, "", 1, 100 - k) for k, step in enumerate(steps)]


def test_the_papers_counts_stand_where_their_stage_ends() -> None:
    found = funnel(rows("crawl", "bots", "size", "seed_issue", "seed_files"), "a scale")
    assert [None if pd.isna(value) else int(value) for value in found.paper_left] == [
        *(24_000_000, None, 11_000_000, None, 273_000),
    ]
    assert found.paper_stage[4] == "RL seeds" and found.paper_source[2] == "appendix A"
    assert list(found.left) == [100, 99, 98, 97, 96]


def test_without_seeds_there_is_no_count_of_seeds() -> None:
    found = funnel(rows("crawl", "bots"), "a scale")
    assert found.paper_stage.dropna().to_list() == ["aggregated", "unique, filtered"]
