"""Runs and evaluations for the report's figures without files, and a reader of what is drawn."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from openswerl.report.inputs import Evaluation, Training
from openswerl.report.rows import Outcome, Rollout, Step

SVG = "{http://www.w3.org/2000/svg}"


def training(reward: str, seed: int, means: Sequence[float | None], rewards: Sequence[float] = (1.0, -1.0)) -> Training:
    """One run with these mean rewards a step, and these samples at each."""
    steps = [Step(k, mean, 0.5, 0.1, 0.2 + seed / 10, 50.0 + seed) for k, mean in enumerate(means)]
    rollouts = [Rollout(step.step, "i", k, reward, "") for step in steps for k, reward in enumerate(rewards)]
    return Training(reward, seed, steps, rollouts)


def evaluation(policy: str, seed: int, resolved: Sequence[bool], split: str = "gate") -> Evaluation:
    """Greedy answers, all well formed, one an instance, some of which are resolved."""
    names = ["resolved" if flag else "unresolved" for flag in resolved]
    rows = [Outcome(f"i{k}", split, "greedy", 0, True, name, name) for k, name in enumerate(names)]
    return Evaluation(policy, seed, "bubblewrap", rows)


def texts(document: str) -> list[str]:
    """Return the texts that are drawn, in order."""
    return ["".join(node.itertext()) for node in ET.fromstring(document).iter(f"{SVG}text")]


def styles(document: str, colour: str, kind: str = "stroke") -> list[str]:
    """Return the styles of what is drawn in this colour."""
    found = [node.get("style", "") for node in ET.fromstring(document).iter()]
    return [style for style in found if re.search(rf"(^|; ){kind}: {colour}", style)]
