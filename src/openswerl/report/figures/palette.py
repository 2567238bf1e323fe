"""How each policy looks: a colour, which is a variable of the page, and a dash and a marker for who cannot tell it."""

from typing import NamedTuple

from openswerl.report.labels import parted

INK, MUTED, RULE, PAGE = "#1f2328", "#626973", "#dcdedb", "#fcfcfa"
Dashes = tuple[int, tuple[float, ...]]


class Look(NamedTuple):
    """Colour, dashes of its lines (offset, lengths on and off in line widths; none is solid), marker of its points."""

    colour: str
    dashes: Dashes = (0, ())
    marker: str = "o"


LOOKS = {
    "base": Look("#868d97", marker="s"),
    "sft": Look("#4a76b0", marker="^"),
    "sft-gold": Look("#8f6fb5", marker="v"),
    "grpo-continuous": Look("#0b7a70"),
    "grpo-execution": Look("#2f3f8f", (0, (7, 2, 1.5, 2)), "P"),
    "grpo-patch_text": Look("#5f3f1a", (0, (9, 3)), "X"),
    "grpo-hybrid": Look("#c264a0", (0, (1, 1.6)), "h"),
    "grpo-unidiff": Look("#9c9208", (0, (3, 1, 1, 1)), "p"),
    "grpo-discrete": Look("#c0561c", (0, (4, 2)), "D"),
}
OTHER = Look("#8a6d1d", (0, (2, 2)), "*")
VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", PAGE: "--page", OTHER.colour: "--other"} | {
    look.colour: f"--{name}" for name, look in LOOKS.items()
}


def look(policy: str) -> Look:
    """Return the look of a policy, in whatever variant."""
    return LOOKS.get(parted(policy)[0], OTHER)


def ranked(reward: str, rank: int) -> Look:
    """Return the look of a variant of this one reward, by its rank among them; the first has the reward's own."""
    own = look(f"grpo-{reward}")
    others = [found for name, found in LOOKS.items() if name.startswith("grpo-") and found != own]
    return own if rank == 0 else others[(rank - 1) % len(others)]
