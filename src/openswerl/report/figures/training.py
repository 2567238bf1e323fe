"""The GRPO runs as curves: the lower half of the paper's Figure 5, and what else tells how a run went."""

from collections.abc import Sequence

from openswerl.report.figures.captions import Setting, counted
from openswerl.report.figures.curves import Quantity, draw
from openswerl.report.figures.panels import Panel
from openswerl.report.figures.svg import Drawing, drawing
from openswerl.report.labels import parted

REWARD = Quantity("Mean reward, each run\N{RIGHT SINGLE QUOTATION MARK}s own", lambda step: step.reward_mean, -1, 1)
FORMAT = Quantity("Well-formed samples, share", lambda step: step.format_rate, 0, 1)
EXACT = Quantity("Samples with reward 1, share", lambda step: step.exact_rate, 0, 1)
ZERO = Quantity("Groups without variance, share", lambda step: step.zero_variance, 0, 1)
LENGTH = Quantity("Response length, tokens", lambda step: step.response_tokens, 0, None)
MATCHED = {"continuous", "discrete"}  # rewards that are 1 for the oracle itself and for nothing else
PAPER = "The paper draws its rewards over 1,600 steps, without values (axis from about \N{MINUS SIGN}1 to 0.2)."


def figure5(panel: Panel, setting: Setting) -> Drawing:
    """Draw the mean reward, and below it what is the same measure for every reward."""
    matched = all(parted(one.runs[0].reward)[0] in MATCHED for one in panel.series)
    exact = EXACT._replace(title="Exact matches with the oracle, share") if matched else EXACT
    told = "The rewards are different quantities, as in the paper\N{RIGHT SINGLE QUOTATION MARK}s figure; "
    told = f"{told}the shares below are the same measure for each. " if len(panel.series) > 1 else ""
    title = _titled("Figure 5: reward curves over training", panel)
    return _drawn("figure5-curves", title, f"{told}{PAPER}", panel, setting, [REWARD, FORMAT, exact])


def details(panel: Panel, setting: Setting) -> Drawing:
    """Draw the share of groups that teach nothing, and the length of the answers."""
    told = "Groups whose samples all earn the same reward have no advantage and teach nothing; length: mean of a step."
    title = _titled("Groups without variance and response length over training", panel)
    return _drawn("training", title, told, panel, setting, [ZERO, LENGTH])


def _titled(title: str, panel: Panel) -> str:
    return f"{title} ({panel.variant})" if panel.variant else title


def _drawn(name: str, title: str, told: str, panel: Panel, setting: Setting, quantities: Sequence[Quantity]) -> Drawing:
    first = f"{panel.variant}: {quantities[0].title[0].lower()}{quantities[0].title[1:]}"
    shown = [quantities[0]._replace(title=first), *quantities[1:]] if panel.variant else quantities
    caption = f"{title}. {told} {_band(panel)} {setting.label}."
    foot = f"{setting.short}; n = {counted(panel.runs)}; {_short(panel)}"
    heights = [2.3, *(1.75 for _ in quantities[1:])]
    return drawing(f"{name}{panel.suffix}", title, caption, foot, lambda axes: draw(axes, panel, shown), heights)


def _band(panel: Panel) -> str:
    """Say what lines and bands are, and how many runs they are made of."""
    seeds = max(len(one.runs) for one in panel.series)
    smoothed = "moving mean over about a tenth of the steps"
    if seeds == 1:
        return f"Line: {smoothed}; pale: each step. One seed, so no band and no interval; n = {counted(panel.runs)}."
    return (
        f"Line: mean over seeds; band: lowest to highest seed, each after a {smoothed}. "
        f"The band is the spread of {seeds} seeds, no confidence interval; n = {counted(panel.runs)}."
    )


def _short(panel: Panel) -> str:
    seeds = max(len(one.runs) for one in panel.series)
    return "one seed, no band" if seeds == 1 else f"band: lowest to highest of {seeds} seeds"
