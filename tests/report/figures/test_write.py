from pathlib import Path

from openswerl.report.figures.funnel import paper_funnel
from openswerl.report.figures.write import write


def test_both_files_are_written_and_figures_of_an_earlier_report_go(tmp_path: Path) -> None:
    for name in ("old.svg", "old.png", "notes.txt"):
        (tmp_path / name).write_text("")
    one = paper_funnel()
    assert write(tmp_path, {"new": one}) == ["new.png", "new.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.png", "new.svg", "notes.txt"]
    assert (tmp_path / "new.svg").read_text() == one.svg and (tmp_path / "new.png").read_bytes() == one.png
