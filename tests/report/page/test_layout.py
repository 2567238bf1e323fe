"""The page as a browser lays it out, narrow and wide."""

import json
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openswerl.report.run import run
from openswerl.stage import Job

# Texts of one figure that cover each other by more than a pixel, and what is wider than the page outside of a scroller.
MEASURE = """
<script>
function boxes(svg) {
  return [...svg.querySelectorAll("text")].map((text) => [text.textContent.trim(), text.getBoundingClientRect()]);
}
function covers(a, b) {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
}
const found = { width: innerWidth, page: document.documentElement.scrollWidth, figures: 0, texts: [], outside: [] };
for (const svg of document.querySelectorAll("figure svg")) {
  const texts = boxes(svg);
  found.figures += 1;
  texts.forEach(([name, box], k) => {
    if (box.right > innerWidth || box.left < 0) found.outside.push(name);
    for (const [other, place] of texts.slice(k + 1)) if (covers(box, place)) found.texts.push([name, other]);
  });
}
for (const cell of document.querySelectorAll("td, th")) {
  if (cell.scrollWidth > cell.clientWidth + 1) found.outside.push(cell.textContent.trim());
}
const ascii = (name) => name.replace(/[^ -~]/g, "?");
parent.postMessage(ascii(JSON.stringify(found)), "*");
</script>
"""
# A window cannot be as narrow as a telephone, a frame can.
FRAME = """<body><iframe src="{name}" style="border: 0; width: {width}px; height: 900px"></iframe>
<script>onmessage = (event) => document.body.innerHTML = "<pre>" + btoa(event.data) + "</pre>";</script></body>"""


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or pytest.skip("no browser")


def measured(browser: str, page: str, folder: Path, width: int) -> dict[str, Any]:
    """Return what the script found; the page's own policy, which forbids scripts, is taken out of the copy."""
    copy, frame = folder / "measured.html", folder / "frame.html"
    copy.write_text(re.sub(r"<meta http-equiv[^>]*>", "", page).replace("</body>", f"{MEASURE}</body>"), "utf-8")
    frame.write_text(FRAME.format(name=copy.name, width=width), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}"]
    wide = ["--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", frame.as_uri()]
    done = subprocess.run([browser, *options, *wide], capture_output=True, text=True, timeout=120)
    found = re.search(r"<pre>(.*)</pre>", done.stdout)
    assert found, done.stderr
    return json.loads(b64decode(found[1]))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "apart"), [(390, 0.1), (390, 0.0), (1200, 0.1)])
def test_nothing_overlaps_or_sticks_out(
    chromium: str, mini_job: Callable[..., Job], tmp_path: Path, width: int, apart: float
) -> None:
    job = mini_job(apart=apart)
    run(job)
    page = (job.out / "report.html").read_text(encoding="utf-8")
    found = measured(chromium, page, tmp_path, width)
    assert (found["width"], found["page"]) == (width, width)
    assert found["figures"] == 13
    assert found["texts"] == [] and found["outside"] == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1200])
def test_table_3_does_not_stick_out(chromium: str, ood_job: Job, tmp_path: Path, width: int) -> None:
    run(ood_job)
    found = measured(chromium, (ood_job.out / "report.html").read_text(encoding="utf-8"), tmp_path, width)
    assert (found["width"], found["page"], found["outside"]) == (width, width, [])


@pytest.mark.slow
def test_the_measure_sees_an_overlap(chromium: str, tmp_path: Path) -> None:
    page = '<body><figure><svg width="100"><text y="20">one</text><text y="22">two</text></svg></figure></body>'
    assert measured(chromium, page, tmp_path, 600)["texts"] == [["one", "two"]]
