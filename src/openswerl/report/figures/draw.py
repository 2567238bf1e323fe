"""All figures of the report."""

from collections.abc import Sequence

from openswerl.report import labels
from openswerl.report.figures import bars, curves, funnel, scaling
from openswerl.report.inputs import Inputs
from openswerl.report.rates import RateRow


def draw(inputs: Inputs, greedy: Sequence[RateRow], splits: Sequence[str]) -> dict[str, str]:
    """Return every figure of the report as {name: SVG document}."""
    models = [row for row in greedy if not labels.is_gate(row.policy)]
    policies = list(dict.fromkeys(row.policy for row in models))
    runs = inputs.trainings
    found = {f"training-{run.reward}-{run.seed}": curves.training(run) for run in runs}
    found |= {f"histogram-{run.reward}-{run.seed}": bars.histogram(run) for run in runs}
    found["zero-variance"] = curves.over_steps(
        "zero-variance", "Groups without variance, share", runs, lambda step: step.zero_variance, 1.0
    )
    found["response-length"] = curves.over_steps(
        "response-length", "Response length, tokens", runs, lambda step: step.response_tokens, None
    )
    found["resolved"] = bars.resolved(models, splits, len(inputs.seeds))
    found["paper-resolved"] = bars.paper_resolved(policies)
    found["funnel"] = funnel.funnel(inputs.funnel)
    found["paper-funnel"] = funnel.paper_funnel()
    return found | scaling.panels(inputs.evaluations, splits[0])
