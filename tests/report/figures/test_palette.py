import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from openswerl.report.figures.palette import LOOKS, VARIABLES
from openswerl.report.page import render

# Machado, Oliveira, Fernandes 2009, severity 1, in linear RGB; the last is normal sight.
SIGHTS = {
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
CSS = (Path(render.__file__).parent / "style.css.j2").read_text()


def lab(colour: str, sight: str) -> NDArray[np.float64]:
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(SIGHTS[sight]) @ linear, 0, 1)
    x, y, z = np.cbrt(np.maximum(XYZ @ seen / [0.95047, 1, 1.08883], 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def schemes() -> list[dict[str, str]]:
    """The colours of the page's light and dark scheme by the names of their variables."""
    return [dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", part)) for part in CSS.split("prefers-color-scheme", 1)]


@pytest.mark.parametrize("sight", SIGHTS)
def test_rewards_differ_whatever_the_reader_can_see(sight: str) -> None:
    """A difference of about 2.3 is just seen (CIE 1976); the paper's two rewards are far apart."""
    names = [f"--{name}" for name in LOOKS if name.startswith("grpo-")]
    for scheme in schemes():
        seen = {name: lab(scheme[name], sight) for name in names}
        gaps = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(names, 2)}
        assert min(gaps.values()) > 9
        assert gaps["--grpo-continuous", "--grpo-discrete"] > 35


def test_the_page_has_every_colour_and_nothing_is_told_by_colour_alone() -> None:
    for scheme in schemes():
        assert {variable for variable in VARIABLES.values()} <= scheme.keys()
    rewards = [look for name, look in LOOKS.items() if name.startswith("grpo-")]
    assert len({look.dashes for look in rewards}) == len({look.marker for look in rewards}) == len(rewards)
    assert len(set(VARIABLES)) == len(LOOKS) + 5, "no two share a colour, which is what a variable is found by"


def test_files_have_the_colours_of_the_page():
    light, _ = schemes()
    assert {name: light[name] for name in VARIABLES.values()} == {name: colour for colour, name in VARIABLES.items()}
