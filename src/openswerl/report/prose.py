"""Sentences that are computed from the numbers, so that no text can outlive a result."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from openswerl.archive.coverage import Month
from openswerl.report import labels, paper
from openswerl.report.evaluated import MiniSplit
from openswerl.report.inputs import Evaluation, Inputs, Training, by_label
from openswerl.report.ood import Ood, suites
from openswerl.report.paired import MAIN, Difference
from openswerl.report.rows import QualityRow
from openswerl.stages import GATE

LAPTOP = "laptop scale: generated repositories, not SWE-bench scores"
LEAKS = "regression tests were chosen by the file names of the hidden tests (paper_compat): not an honest number"
SMOKE = "smoke run: a few steps and instances, makes no claim about rates"
PROCESS = "patches ran in a plain limited subprocess, without isolation"
LOCAL = "environments were built on this machine: local results, not SWE-bench scores"


def remarks(scale: str, settings: Any, inputs: Inputs) -> list[str]:
    """Return the labels that go with every number of this run."""
    found = [LAPTOP] if settings.benchmark == "laptop" else [f"{scale} scale, benchmark {settings.benchmark}"]
    unsafe = [PROCESS] if "process" in inputs.sandbox else []
    unsafe += [LOCAL] if "local" in inputs.sandbox else []
    leaks = [LEAKS] if inputs.leaks else []
    return found + unsafe + leaks + ([SMOKE] if scale == "smoke" else [])


def scale(name: str, settings: Any) -> str:
    """Return what every table says of its scale; SWE-bench Verified alone is the paper's benchmark."""
    return f"{name} scale: {'SWE-bench Verified' if settings.benchmark == 'verified' else 'not comparable'}"


def label(name: str, settings: Any, inputs: Inputs) -> str:
    """Return what the files of a table begin with."""
    said = [text.removeprefix("laptop scale: ") for text in remarks(name, settings, inputs)]
    return "; ".join([scale(name, settings), *said])


def executed(inputs: Inputs) -> str:
    """Return where the numbers of Agentless Mini were made, and how its regression tests were chosen."""
    unsafe = " (no isolation)" if "process" in inputs.sandbox else ""
    return f"{inputs.sandbox}{unsafe}; regression tests: {'paper_compat (leaks)' if inputs.leaks else 'honest'}"


def mini(found: Sequence[tuple[Evaluation, MiniSplit]]) -> str:
    """Return what was run of Agentless Mini, as counts of the first policy's run; empty without any."""
    if not found:
        return ""
    own = found[0][1]
    return (
        f"{own.instances} instances; {own.repair.samples:g} repair samples an instance, of which "
        f"{own.repair.distinct:.1f} differ; {own.tests.kept:.1f} reproduction tests and {own.regression.tests:.1f} "
        f"regression tests kept an instance ({labels.policy(found[0][0].policy)})."
        + (f" {own.repair.unanswered} repair samples were never answered." if own.repair.unanswered else "")
    )


def what_was_run(inputs: Inputs, settings: Any) -> str:
    """Return the paragraph below the title."""
    runs = [f"{len(run.steps)} steps with the {labels.rewarded(run.reward)}" for run in inputs.trainings]
    instances = {(row.split, row.instance_id) for item in inputs.evaluations for row in item.outcomes}
    seeds = ("Seeds " if len(inputs.seeds) > 1 else "Seed ") + _listed([str(seed) for seed in inputs.seeds])
    sizes = [f"{sum(s == split for s, _ in instances)} of the {labels.split(split)}" for split in settings.splits]
    return (
        f"Pull requests were crawled, filtered and turned into repair tasks; the {settings.model} model was "
        f"trained on them with supervised fine-tuning and with GRPO ({_listed(list(dict.fromkeys(runs)))}). Every "
        f"policy then repaired the same instances ({_listed(sizes)}) with oracle files, and the tests of each instance "
        f"were executed on each patch. {seeds}."
    )


def headline(rows: Sequence[Difference]) -> list[Difference]:
    """Return the greedy comparisons of resolve rates that the paper makes."""
    wanted = [(MAIN, "base"), (MAIN, "sft"), (MAIN, "grpo-discrete"), ("sft", "base")]
    return [row for pair in wanted if (row := find(rows, *pair))]


def find(rows: Sequence[Difference], policy: str, against: str, decoding: str = "greedy") -> Difference | None:
    """Return the difference of resolve rates of a pair: over all seeds if there are several, else of the one."""
    match = [r for r in rows if (r.policy, r.against, r.decoding) == (policy, against, decoding)]
    return next((r for r in reversed(match) if r.measure == "resolved"), None)


def rates(row: Difference) -> str:
    """Return the two rates of a comparison in words."""
    return f"{labels.percent(row.rate)} against {labels.percent(row.rate_against)}\u202f% resolved"


def evidence(row: Difference) -> str:
    """Return interval, test and size of a comparison."""
    parts = [f"n\u202f=\u202f{row.n}"]
    if row.p is not None:
        parts.insert(0, f"exact McNemar p\u202f{labels.probability(row.p)}")
    if row.interval:
        low, high = (labels.points(bound) for bound in row.interval)
        parts.insert(0, f"{100 * row.confidence:g}\u202f% interval {low} to {high}")
    return ", ".join(parts)


def verdict(row: Difference) -> str:
    """Say which side is ahead, or that the numbers cannot tell."""
    if row.sign == 0:
        return "These instances do not tell the two apart."
    return f"{labels.policy(row.policy if row.sign > 0 else row.against)} is ahead."


def ablation(row: Difference) -> str:
    """Return a comparison of two rewards as one sentence."""
    names = f"{labels.policy(row.policy)} against {labels.policy(row.against)}"
    return f"{names}: {rates(row)}, {labels.points(row.value)} points ({evidence(row)})."


def order(row: Difference) -> str:
    """Compare the sign of continuous minus discrete with the paper's."""
    found = {
        1: "In this setting the continuous reward is ahead, which is the paper\u2019s order.",
        -1: "In this setting the discrete reward is ahead, the reverse of the paper\u2019s order.",
        0: "In this setting the numbers do not tell the two rewards apart, so no order can be claimed.",
    }
    return found[row.sign]


def paper_order() -> str:
    """Return the paper's own comparison of the two rewards."""
    first, second = paper.ROWS[MAIN].resolved, paper.ROWS["grpo-discrete"].resolved
    gap = f"{labels.points((first - second) / 100)} points on {paper.INSTANCES} instances, no interval"
    return f"The paper reports {first} against {second}\u202f%, {gap}."


def exact_share(run: Training) -> float:
    """Return the mean share of samples with reward 1 over the last tenth of the steps, at least one step."""
    tail = run.steps[-max(1, len(run.steps) // 10) :]
    return sum(step.exact_rate for step in tail) / len(tail)


def exact_sentence(inputs: Inputs) -> str:
    """Say how often training samples matched the oracle exactly at the end, over all seeds; empty without training."""
    each = [
        f"{labels.percent(mean(map(exact_share, runs)))}\u202f% with the {labels.rewarded(label)}"
        for label, runs in by_label(inputs.trainings).items()
    ]
    told = f"Training samples that matched the oracle exactly in the last tenth of the steps: {_listed(each)}."
    return told if each else ""


def coverage(months: Sequence[Month]) -> str:
    """Say how many of the hours were read, and of which time."""
    expected, read = (sum(getattr(month, name) for month in months) for name in ("expected", "read"))
    span = months[0].month if len(months) == 1 else f"{months[0].month} to {months[-1].month}"
    lost = [f"{sum(getattr(m, name) for m in months):,} {name}" for name in ("missing", "failed", "changed")]
    told = _listed([text for text in lost if not text.startswith("0 ")])
    return f"{read:,} of {expected:,} hours ({span}) were read" + (f"; {told}." if told else ".")


def quality(row: QualityRow) -> str:
    """Say what the predictors of related files were measured on."""
    where = f"{row.repositories:,} repositor{'y' if row.repositories == 1 else 'ies'}"
    return f"n\u202f=\u202f{row.n:,} instances of {where}, those with such a file."


def gate(inputs: Inputs) -> str:
    """Say whether the gate held: gold patches resolve everything, no patch resolves nothing."""
    gold, none = (
        [row.resolved for item in inputs.gate if labels.parted(item.policy)[0] == name for row in item.outcomes]
        for name in GATE
    )
    text = f"Gold patches resolve {sum(gold)} of {len(gold)} instances; the unchanged code resolves {sum(none)}."
    if all(gold) and not any(none):
        return text
    return f"{text} The gate does not hold: what the tests cannot judge is in no rate."


def ood_label(found: Sequence[Ood]) -> str:
    """Return where the items of the out-of-domain suites are from."""
    rows = {own.rows for own in found[0].result.suites.values()}
    named = sorted(filter(None, rows))
    ours = ["small suites of ours in the formats of these benchmarks, never their scores"] if None in rows else []
    return "; ".join(ours + ([f"rows: {', '.join(named)}"] if named else []))


def ood_table_label(short: str, found: Sequence[Ood]) -> str:
    """Return what the files of Table 3 begin with, after the scale."""
    return f"{short}; {ood_label(found)}"


def ood(found: Sequence[Ood], rows: Sequence[Difference]) -> str:
    """Say on which suites the main policy is ahead or behind, and which suites say nothing as no policy can do them."""
    floor = [labels.OOD[name] for name in suites(found) if not any(one.result.suites[name].correct for one in found)]
    if len(floor) == len(suites(found)):
        return "No policy answers any item right on any suite, so none of them can show a loss."
    told = [_ood_pair([row for row in rows if (row.policy, row.against) == (MAIN, other)]) for other in ("base", "sft")]
    told += [f"No policy answers any item right of {_listed(floor)}, which can show no loss."] if floor else []
    return " ".join(filter(None, told))


def _ood_pair(rows: Sequence[Difference]) -> str:
    if not rows:
        return ""
    first, second = labels.policy(rows[0].policy), labels.policy(rows[0].against)
    ahead, behind = ([labels.OOD[row.split] for row in rows if row.sign == sign] for sign in (1, -1))
    said = [f"ahead on {_listed(ahead)}"] if ahead else []
    said += [f"behind on {_listed(behind)}"] if behind else []
    return f"{first} is {_listed(said)} against {second}." if said else f"No suite tells {first} from {second}."


def _listed(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
