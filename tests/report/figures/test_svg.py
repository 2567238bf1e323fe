import re

from matplotlib.axes import Axes

from openswerl.report.figures import svg


def draw(axes: Axes) -> None:
    axes.plot([0, 1], [0, 1], color=svg.SERIES["sft"], marker="o")
    axes.set_title("a <b> $x_1$")


def test_equal_drawings_are_equal_bytes_without_a_date() -> None:
    document = svg.drawn("one", draw, 2)
    assert document == svg.drawn("one", draw, 2)
    assert "dc:date" not in document and "Matplotlib v" not in document


def test_text_is_escaped_and_not_read_as_mathematics() -> None:
    assert ">a &lt;b&gt; $x_1$</text>" in svg.drawn("one", draw, 2)


def test_inline_has_no_outside_reference_and_its_own_ids() -> None:
    parts = [str(svg.inline(name, svg.drawn(name, draw, 2), f'the "{name}"')) for name in ("one", "two")]
    assert "://" not in "".join(parts)
    ids = [set(re.findall(r'\bid="([^"]+)"', part)) for part in parts]
    assert ids[0] and not ids[0] & ids[1]
    for part, known in zip(parts, ids, strict=True):
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', part))
        assert used and used <= known
    assert 'aria-label="the &#34;one&#34;"' in parts[0]


def test_inline_colours_are_the_pages() -> None:
    part = svg.inline("one", svg.drawn("one", draw, 2), "t")
    assert "var(--sft)" in part and "var(--ink)" in part
    assert not set(re.findall(r"#[0-9a-f]{6}", part)) & set(svg.VARIABLES)


def test_seed_zero_goes_without_saying() -> None:
    assert (svg.run_title("continuous", 0), svg.run_title("discrete", 2)) == (
        "GRPO continuous reward",
        "GRPO discrete reward, seed 2",
    )
