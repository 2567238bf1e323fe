"""Draw figures as bytes that depend on nothing but the data, and put them inline so that the page's colours rule."""

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from openswerl.report.figures.palette import INK, MUTED, PAGE, RULE, VARIABLES

WIDTH = 5.4
DPI = 150
PAD = 0.06  # inches around each pair of axes
FOOT = 78  # letters that a line of the foot holds
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 11,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.unicode_minus": True,
    "axes.axisbelow": True,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "ytick.major.size": 0,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
    "lines.scale_dashes": False,
}
METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True)
class Drawing:
    """A figure twice; `title` and `caption` are also in the SVG document, for screen readers."""

    title: str
    caption: str
    svg: str
    png: bytes


@dataclass(frozen=True)
class Shown:
    """A figure as a part of the page."""

    svg: Markup
    caption: str


def drawing(
    name: str, title: str, caption: str, foot: str, draw: Callable[[Sequence[Axes]], None], heights: Sequence[float]
) -> Drawing:
    """Return the figure of one pair of axes below another, `heights` in inches; `foot` is written below them."""
    with _style(name):
        figure = Figure(figsize=(WIDTH, sum(heights)), layout=ConstrainedLayoutEngine(h_pad=PAD, w_pad=PAD))
        axes = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0]
        figure.supxlabel("\n".join(textwrap.wrap(foot, FOOT)), x=0.01, ha="left", fontsize=9, color=MUTED)
        draw([*axes])
        document = _described(_saved_svg(figure), title, caption)
        return Drawing(title, caption, document, _saved_png(figure))


def drawn(name: str, draw: Callable[[Axes], None], height: float) -> str:
    """Return the SVG document of one pair of axes, `height` inches high, without a word on it."""
    with _style(name):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.subplots())
        return _saved_svg(figure)


@contextmanager
def _style(name: str) -> Iterator[None]:
    """Draw in the report's style; element ids derive from `name` alone."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        yield


def settle(figure: Figure) -> None:
    """Lay the figure out, once: it takes longer than all the rest. What comes later finds its place by itself."""
    if isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def _saved_svg(figure: Figure) -> str:
    settle(figure)
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata=METADATA)
    return _numbered(stream.getvalue())


def _numbered(document: str) -> str:
    """Name clip paths by their order: Matplotlib's names hash the last bit of places, which may round either way."""
    clips = dict.fromkeys(re.findall(r'<clipPath id="(p[0-9a-f]{10})"', document))
    names = {clip: f"clip-{number}" for number, clip in enumerate(clips)}
    return re.sub(r"\bp[0-9a-f]{10}\b", lambda found: names.get(found[0], found[0]), document)


def _saved_png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, facecolor=PAGE, metadata={"Software": None})
    return stream.getvalue()


def _described(document: str, title: str, caption: str) -> str:
    """Return the document with its title and description, which screen readers look for."""
    words = f'<title id="title">{escape(title)}</title>\n <desc id="desc">{escape(caption)}</desc>'
    head, tag, rest = document.partition("<svg ")
    attributes, end, body = rest.partition(">")
    return f'{head}{tag}role="img" aria-labelledby="title" aria-describedby="desc" {attributes}{end}\n {words}{body}'


def inlined(drawings: Mapping[str, Drawing]) -> dict[str, Shown]:
    """Return every figure as a part of the page."""
    return {name: Shown(inline(name, one.svg), one.caption) for name, one in drawings.items()}


def inline(name: str, document: str) -> Markup:
    """Return an SVG document as a part of the page: own ids, the page's fonts and colours, no outside reference."""
    body = document[document.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", body)
    body = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", body, count=1))
    body = re.sub(r'(\bid="|aria-labelledby="|aria-describedby="|xlink:href="#|url\(#)', rf"\1{name}-", body)
    body = body.replace("'DejaVu Sans', sans-serif", "var(--sans)").replace("'DejaVu Sans'", "var(--sans)")
    for value, variable in VARIABLES.items():
        body = body.replace(value, f"var({variable})")
    return Markup(body)
