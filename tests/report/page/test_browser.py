"""The page in a real browser, offline: what it asks for, what it says, who can use it, and what its script does."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openswerl.report.run import run

pytestmark = pytest.mark.slow
BLOCKING = ("serious", "critical")


def violations(page: Any) -> list[str]:
    """Return the serious and critical findings of axe-core."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page).response["violations"]
    return [f"{item['id']}: {item['nodes'][0]['html']}" for item in found if item["impact"] in BLOCKING]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_asks_for_nothing_says_nothing_fits_and_is_accessible(
    show: Callable[..., Any], hostile_page: Path, width: int, scheme: str
) -> None:
    opened = show(hostile_page, width, color_scheme=scheme)
    assert opened.page.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [width, width]
    assert violations(opened.page) == []
    opened.page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert violations(opened.page) == [], "what is folded away counts too"
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    assert (opened.asked, opened.said) == ([hostile_page.as_uri()], [])


def test_the_check_finds_what_is_not_accessible(show: Callable[..., Any], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<!DOCTYPE html><html lang="en"><title>t</title><main><img src="data:,"></main></html>')
    assert [text.partition(":")[0] for text in violations(show(page).page)] == ["image-alt"]


def test_the_check_hears_requests_and_the_console(show: Callable[..., Any], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<img src='http://127.0.0.1:9/x'><script>console.log('said')</script>")
    opened = show(page)
    assert opened.asked == [page.as_uri(), "http://127.0.0.1:9/x"] and "said" in opened.said


def test_hostile_text_does_nothing_and_is_shown(show: Callable[..., Any], hostile_page: Path) -> None:
    opened = show(hostile_page)
    assert opened.page.evaluate("window.harmed") is None
    assert opened.page.evaluate("[document.scripts.length, document.images.length, document.baseURI]") == [
        1,
        0,
        hostile_page.as_uri(),
    ]
    assert "onerror='window.harmed = 1'" in opened.page.locator("article.shown:visible pre").first.inner_text()
    for button in opened.page.locator("#answers button, #failures button").all()[:4]:
        button.click()
    assert opened.page.evaluate("window.harmed") is None and opened.asked == [hostile_page.as_uri()]


def test_the_policy_stops_a_script_that_is_not_its_own(
    show: Callable[..., Any], hostile_page: Path, tmp_path: Path
) -> None:
    """Even if a text were not escaped."""
    page = tmp_path / "unescaped.html"
    text = hostile_page.read_text(encoding="utf-8")
    page.write_text(text.replace("<main>", "<main><script>window.harmed = 1</script>", 1), encoding="utf-8")
    opened = show(page)
    assert opened.page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in text for text in opened.said)
    assert opened.page.locator("button.sort").count() > 0, "its own script still runs"


def column(page: Any, label: str, number: int) -> list[str]:
    rows = page.locator(f'[aria-label="{label}"] tbody tr')
    return rows.evaluate_all(f"all => all.map((row) => row.cells[{number}].innerText.split('\\n')[0].trim())")


def test_tables_sort_by_keyboard_and_come_back(show: Callable[..., Any], hostile_page: Path) -> None:
    page = show(hostile_page).page
    before = column(page, "Repair rates", 2)
    assert before == ["100.0", "0.0", "25.0", "37.5", "87.5", "75.0", "50.0"], (
        "gold, none, base, SFT, gold, two rewards"
    )
    button = page.locator('[aria-label="Repair rates"] thead tr:last-child th:nth-child(3) button')
    button.focus()
    states = []
    for _ in range(3):
        page.keyboard.press("Enter")
        states.append((button.locator("..").get_attribute("aria-sort"), column(page, "Repair rates", 2)))
    rising = ["0.0", "25.0", "37.5", "50.0", "75.0", "87.5", "100.0"]
    assert states == [("ascending", rising), ("descending", rising[::-1]), (None, before)]


def test_what_has_no_number_stays_last(show: Callable[..., Any], hostile_page: Path) -> None:
    page = show(hostile_page).page
    button = page.locator('[aria-label="Repair rates"] thead tr:last-child th:nth-child(2) button')
    for _ in range(2):
        button.click()
        assert column(page, "Repair rates", 1)[-2:] == ["\u2013", "\u2013"], "the format of gold and none"
    names = page.locator('[aria-label="Repair rates"] thead tr:last-child th:nth-child(1) button')
    names.click()
    found = column(page, "Repair rates", 0)
    assert found == sorted(found, key=str.lower) and button.locator("..").get_attribute("aria-sort") is None


def test_an_answer_is_picked_by_mouse_and_keyboard(show: Callable[..., Any], hostile_page: Path) -> None:
    page = show(hostile_page).page
    shown = page.locator("article.shown:visible h5")
    page.locator("#pick-1-2").click()
    assert shown.all_inner_texts()[0].startswith("SFT gold") and shown.count() == 1
    page.keyboard.press("ArrowRight")
    assert shown.all_inner_texts()[0].startswith("GRPO continuous") and shown.count() == 1
    assert page.locator(".shown:visible h4").count() == 1 and page.locator(".issue:visible").count() == 1


def test_the_patches_are_side_by_side_where_there_is_room(show: Callable[..., Any], hostile_page: Path) -> None:
    for width, beside in ((1280, True), (390, False)):
        heads = show(hostile_page, width).page.locator("article.shown:visible h6")
        mine, gold = (heads.filter(has_text=text).bounding_box() for text in ("Patch of the answer", "Gold patch"))
        assert (mine["y"] == gold["y"]) is beside and (mine["x"] < gold["x"]) is beside


def test_settings_are_filtered_by_word_and_source(show: Callable[..., Any], hostile_page: Path) -> None:
    page = show(hostile_page).page
    page.locator("#settings summary").click()
    rows = page.locator("table.card tbody tr:visible")
    every = rows.count()
    page.locator(".filter select").select_option("paper")
    marks = page.locator("table.card tbody tr:visible .tag").all_inner_texts()
    assert set(marks) == {"paper"} and 0 < len(marks) < every
    page.locator(".filter input").fill("GRPO.group_size")
    page.locator(".filter select").select_option("")
    assert rows.count() == 1 and page.locator(".filter output").inner_text() == f"1 of {every}"


def test_without_scripts_the_tables_are_plain_and_the_explorer_works(
    show: Callable[..., Any], hostile_page: Path
) -> None:
    page = show(hostile_page, java_script_enabled=False).page
    assert page.locator("button").count() == 0 and not page.locator(".filter").is_visible()
    page.locator("#pick-0-1").click()
    assert page.locator("#answer-0-1").is_visible() and not page.locator("#answer-0-0").is_visible()


@pytest.fixture(scope="session")
def two_seeds(tmp_path_factory: pytest.TempPathFactory, grid: SimpleNamespace) -> Path:
    """The page of a grid whose second seed went as the first."""
    root = tmp_path_factory.mktemp("seeds")
    folders = grid.write_inputs(root / "inputs")
    folders |= {name.replace("seed0", "seed1"): folder for name, folder in folders.items() if "seed0" in name}
    run(grid.job_for(root / "results", folders, "grid.seed=[0,1]"))
    return root / "results" / "report.html"


def test_rows_of_single_seeds_are_shown_when_asked_for(show: Callable[..., Any], two_seeds: Path) -> None:
    page = show(two_seeds, java_script_enabled=False).page
    rows = page.locator('[aria-label="Repair rates"] tbody tr:visible')
    names = [text.split("\n")[0] for text in rows.all_inner_texts()]
    assert names[:2] == ["Gold patch", "No patch"] and len(names) == 7
    assert all("all seeds" in name for name in names[2:])
    page.locator("#every-seed").check()
    assert rows.count() == 2 + 3 * 5, "each policy under two seeds, and their average"
