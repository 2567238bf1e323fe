import re

from openswerl.report.page.frames import TITLES, frames
from openswerl.report.paper import NUMBERS
from openswerl.stage import Job


def section(job: Job) -> str:
    page = (job.out / "report.html").read_text(encoding="utf-8")
    return page.split('<section id="tables">')[1].split("</section>")[0]


def test_the_papers_systems_stand_below_ours_with_the_label(finished_mini: Job) -> None:
    text = section(finished_mini)
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td>", text.split("<h3>")[1])
    systems = [(row.model, row.scaffold) for row in NUMBERS.systems.rows]
    assert rows[-18:] == systems and rows[0] == ("Base", "Agentless Mini")
    captions = re.findall(r'<p class="caption">(.*?)</p>', text)
    assert len(captions) == 3 and all(caption.startswith("Smoke scale: not comparable") for caption in captions)
    assert TITLES["related"] not in text, "there is no variant without related files"


def test_without_tables_there_is_no_section() -> None:
    assert frames([]) == []
