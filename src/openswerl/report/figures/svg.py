"""Draw a figure as SVG bytes that depend on nothing but the data, and put it inline so that the page's colours rule."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH = 6.2
INK, MUTED, RULE = "#1f2328", "#6a717b", "#d9dbdf"
SERIES = {
    "base": "#868d97",
    "sft": "#4a76b0",
    "sft-gold": "#8f6fb5",
    "grpo-continuous": "#0b7a70",
    "grpo-discrete": "#c0561c",
}
OTHER = "#8a6d1d"
VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", OTHER: "--other"} | {
    colour: f"--{name}" for name, colour in SERIES.items()
}
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
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "ytick.major.size": 0,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 12,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
}
METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def colour(policy: str) -> str:
    """Return the colour of a policy."""
    return SERIES.get(policy, OTHER)


def seeded(name: str, seed: int) -> str:
    """Return a name that tells the seeds of a grid apart; seed 0 goes without saying."""
    return f"{name}, seed {seed}" if seed else name


def run_title(reward: str, seed: int) -> str:
    """Return the title of a figure of one GRPO run."""
    return seeded(f"GRPO {reward} reward", seed)


@contextmanager
def style(name: str) -> Iterator[None]:
    """Draw in the report's style; element ids derive from `name` alone."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        yield


def drawn(name: str, draw: Callable[[Axes], None], height: float) -> str:
    """Return the SVG document of one pair of axes, `height` inches high."""
    with style(name):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.subplots())
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata=METADATA)
    return stream.getvalue()


def inline(name: str, document: str, title: str) -> Markup:
    """Return an SVG document as a part of the page: own ids, the page's fonts and colours, no outside reference."""
    body = document[document.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", body)
    body = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", body, count=1))
    body = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\1{name}-", body)
    body = body.replace("'DejaVu Sans', sans-serif", "var(--sans)").replace("'DejaVu Sans'", "var(--sans)")
    for value, variable in VARIABLES.items():
        body = body.replace(value, f"var({variable})")
    label = Markup('<svg role="img" aria-label="{}" ').format(title)
    return Markup(label + Markup(body.replace("<svg", "", 1)))
