import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from matplotlib.axes import Axes

from figure_runs import SVG, texts
from openswerl.report.figures import svg
from openswerl.report.figures.palette import VARIABLES, look


def draw(axes: Axes) -> None:
    axes.plot([0, 1], [0, 1], color=look("sft").colour, marker="o")
    axes.set_title("a <b> $x_1$")


def described(name: str = "one") -> svg.Drawing:
    def both(axes: Sequence[Axes]) -> None:
        for place in axes:
            draw(place)

    return svg.drawing(name, 'the "one" & <all>', "n = 3 < 4.", "a foot", both, [2, 1])


def chunks(png: bytes) -> list[str]:
    """The names of the parts of a PNG file."""
    found, place = [], 8
    while place < len(png):
        (size,) = struct.unpack(">I", png[place : place + 4])
        found.append(png[place + 4 : place + 8].decode())
        place += 12 + size
    return found


def test_equal_drawings_are_equal_bytes_without_a_date() -> None:
    document = svg.drawn("one", draw, 2)
    assert document == svg.drawn("one", draw, 2)
    assert "dc:date" not in document and "Matplotlib v" not in document


def test_text_is_escaped_and_not_read_as_mathematics() -> None:
    assert ">a &lt;b&gt; $x_1$</text>" in svg.drawn("one", draw, 2)


def test_inline_has_no_outside_reference_and_its_own_ids() -> None:
    parts = [str(svg.inline(name, described(name).svg)) for name in ("one", "two")]
    assert "://" not in "".join(parts)
    ids = [set(re.findall(r'\bid="([^"]+)"', part)) for part in parts]
    assert ids[0] and not ids[0] & ids[1]
    for part, known in zip(parts, ids, strict=True):
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', part))
        assert used and used <= known
        named = set(re.findall(r'aria-(?:labelledby|describedby)="([^"]+)"', part))
        assert len(named) == 2 and named <= known


def test_inline_colours_are_the_pages() -> None:
    part = svg.inline("one", described().svg)
    assert "var(--sft)" in part and "var(--ink)" in part
    assert not set(re.findall(r"#[0-9a-f]{6}", part)) & set(VARIABLES)


def test_title_and_description_are_the_first_that_a_screen_reader_meets() -> None:
    root = ET.fromstring(described().svg)
    assert [(node.tag, node.text) for node in root][:2] == [
        (f"{SVG}title", 'the "one" & <all>'),
        (f"{SVG}desc", "n = 3 < 4."),
    ]
    assert (root.get("role"), root.get("aria-labelledby"), root.get("aria-describedby")) == ("img", "title", "desc")
    assert "a foot" in texts(described().svg)


def test_equal_drawings_are_equal_pictures_without_a_word_on_their_making() -> None:
    png = described().png
    assert png == described().png
    assert set(chunks(png)) <= {"IHDR", "pHYs", "IDAT", "IEND"}
    assert struct.unpack(">II", png[16:24]) == (round(svg.WIDTH * svg.DPI), 3 * svg.DPI)
