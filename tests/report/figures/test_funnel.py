import re

from openswerl.report.figures.captions import Setting
from openswerl.report.figures.funnel import Bar, funnel, paper_funnel, steps
from openswerl.report.rows import FunnelRow

ROWS = [
    FunnelRow("crawl", "", 0, 1_000),
    FunnelRow("bots", "bot_type", 30, 970),
    FunnelRow("bots", "bot_name", 20, 950),
    FunnelRow("same_patch", "", 0, 950),
    FunnelRow("seed_issue", "no_issue", 950, 0),
]


def texts(document: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", document)


def height(document: str) -> float:
    found = re.search(r'viewBox="0 0 [0-9.]+ ([0-9.]+)"', document)
    assert found
    return float(found[1])


def test_a_bar_holds_all_reasons_of_its_step() -> None:
    assert steps(ROWS) == [
        Bar("crawl", 1_000, 0),
        Bar("bots", 950, 50),
        Bar("same patch", 950, 0),
        Bar("seed issue", 0, 950),
    ]


def test_every_bar_is_labelled_with_its_counts(setting: Setting) -> None:
    found = texts(funnel(ROWS, setting).svg)
    assert {"crawl", "bots", "same patch", "1,000", "950  −50", "950", "0  −950"} <= set(found)


def test_the_figure_grows_with_the_steps_and_takes_an_empty_funnel(setting: Setting) -> None:
    many = [FunnelRow(f"a_rather_long_step_{k}", "r", 1, 40 - k) for k in range(40)]
    assert height(funnel(many, setting).svg) > 6 * height(funnel(ROWS[:2], setting).svg)
    assert "a rather long step 39" in texts(funnel(many, setting).svg)
    assert "0" in texts(funnel([FunnelRow("crawl", "", 0, 0)], setting).svg)


def test_the_papers_numbers_stand_on_their_own_axis(setting: Setting) -> None:
    """Section 2 and appendix A: 24M aggregated, about 11M unique after the filters, 273k seeds."""
    found = texts(paper_funnel().svg)
    assert [text for text in found if text in ("24M", "11M", "273k")] == ["24M", "11M", "273k"]
    assert not {"24M", "11M", "273k"} & set(texts(funnel(ROWS, setting).svg))
