"""All figures of the report."""

from openswerl.report.figures import ablation, bars, funnel, histogram, training
from openswerl.report.figures.captions import Setting
from openswerl.report.figures.figure4 import figure4
from openswerl.report.figures.panels import panels
from openswerl.report.figures.svg import Drawing
from openswerl.report.inputs import Inputs, by_label


def draw(inputs: Inputs, setting: Setting) -> dict[str, Drawing]:
    """Return every figure of the report by its name; those of training only if a policy was trained by GRPO."""
    policies = list(dict.fromkeys(item.policy for item in inputs.evaluations))
    found = {
        "resolved": bars.resolved(inputs.evaluations, setting),
        "paper-resolved": bars.paper_resolved(policies),
        "funnel": funnel.funnel(inputs.funnel, setting),
        "paper-funnel": funnel.paper_funnel(),
    }
    found |= _trained(inputs, setting) if inputs.trainings else {}
    return found | figure4(inputs.evaluations, setting)


def _trained(inputs: Inputs, setting: Setting) -> dict[str, Drawing]:
    """Return Figure 5 and the rest of the training."""
    found = {"figure5-rates": ablation.figure5(inputs.evaluations, setting)}
    for panel in panels(inputs.trainings):
        found[f"figure5-curves{panel.suffix}"] = training.figure5(panel, setting)
        found[f"training{panel.suffix}"] = training.details(panel, setting)
    for label, runs in by_label(inputs.trainings).items():
        found[f"rewards-{label.replace('@', '-')}"] = histogram.heat_map(runs, setting)
    return found
