"""Why answers have the wrong form: the likely cause of each, with the words that show it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from openswerl.edits import FormatError, Rules, edit
from openswerl.preflight.advice import advice_on
from openswerl.preflight.sampling import Sample
from openswerl.records import Instance

EXCERPT = 300
LINES = 20  # of SEARCH texts that are compared
ALIKE = 0.6
STRANGE = 0.2  # share of letters that code and English do not have
FENCED = re.compile(r"\s*```[^\n]*\n\s*<(think|solution)>")
EDIT = re.compile(r"^(<<<<<<< SEARCH|>>>>>>> REPLACE|@@ -|--- )", re.M)
SEARCH = re.compile(r"^<<<<<<< SEARCH\n(.*?)\n?^=======", re.S | re.M)


def cause_of(sample: Sample, instance: Instance, rules: Rules) -> str | None:
    """Return the name of the likely cause; None for a well-formed answer, the code of what did not come."""
    if sample.reason is None:
        return None
    if sample.reason == "unfinished":
        return "goes_on" if "</solution>" in sample.output else "truncated"
    return sample.reason if sample.reward is None else _of_form(sample.output, sample.reason, instance, rules)


def _of_form(text: str, reason: str, instance: Instance, rules: Rules) -> str:
    if _strange(text):
        return "gibberish"
    if FENCED.match(text):
        return "fenced"
    if reason == "search_not_found":
        return "paraphrased" if _likeness(text, instance) >= ALIKE else "invented"
    if reason in ("noop_edit", "duplicate_tag"):
        return {"noop_edit": "noop", "duplicate_tag": "goes_on"}[reason]
    if not EDIT.search(text):
        return "prose"
    if reason == "no_blocks":
        return "bare_blocks"
    return "no_thought" if "<think>" not in text else "form"


def diagnose(samples: Sequence[Sample], instances: Mapping[str, Instance], rules: Rules) -> list[dict[str, Any]]:
    """Return one row for each cause, the commonest first: count, what to do, reasons, and an excerpt."""
    causes = [(cause_of(sample, instances[sample.instance_id], rules), sample) for sample in samples]
    counts = Counter(cause for cause, _ in causes if cause)
    return [
        _row(name, [sample for cause, sample in causes if cause == name], instances, rules)
        for name, _ in counts.most_common()
    ]


def _row(name: str, samples: Sequence[Sample], instances: Mapping[str, Instance], rules: Rules) -> dict[str, Any]:
    reasons = Counter(str(sample.reason) for sample in samples)
    shown = next(sample for sample in samples if sample.reason == reasons.most_common(1)[0][0])
    return {
        "cause": name,
        "count": len(samples),
        "advice": advice_on(name),
        "reasons": dict(sorted(reasons.items())),
        "instance_id": shown.instance_id,
        "excerpt": excerpt(shown, instances[shown.instance_id], rules).encode(errors="replace").decode(),
    }


def excerpt(sample: Sample, instance: Instance, rules: Rules) -> str:
    """Return the words that show the fault: a SEARCH text that is not found, the end of what is cut off, the start."""
    if sample.reason == "search_not_found":
        return "\n".join(_missing(sample.output, instance)[:1])[:EXCERPT]
    if sample.reason == "unfinished":
        return sample.output[-EXCERPT:]
    try:
        edit(instance.task.context, sample.output, rules)
    except FormatError as error:
        if error.reason == sample.reason:
            return f"{error.detail}:\n{sample.output[:EXCERPT]}"
    return sample.output[:EXCERPT]


def hot(greedy: Sequence[Sample], sampled: Sequence[Sample]) -> bool:
    """Whether the greedy answers have the right form and most sampled ones do not: the temperature is too high."""
    well = [sample.reason is None for sample in greedy if sample.came]
    ill = [sample.reason is not None for sample in sampled if sample.came]
    return bool(well and ill) and sum(well) / len(well) >= 0.8 and sum(ill) / len(ill) > 0.5


def _missing(text: str, instance: Instance) -> list[str]:
    """Return the SEARCH texts that are at no line start of a file; all, if an edit before them made one missing."""
    searched = [one for one in SEARCH.findall(text) if one.strip()]
    files = ["\n" + content for content in instance.task.context.values()]
    return [one for one in searched if not any("\n" + one in content for content in files)] or searched


def _likeness(text: str, instance: Instance) -> float:
    """Return how much the missing SEARCH text is like the lines of the files: the mean over its lines, 0 to 1."""
    theirs = [line for content in instance.task.context.values() for line in content.splitlines()]
    ours = [line for one in _missing(text, instance) for line in one.splitlines() if line.strip()][:LINES]
    best = [max((SequenceMatcher(None, line, other).ratio() for other in theirs), default=0.0) for line in ours]
    return sum(best) / len(best) if best else 0.0


def _strange(text: str) -> bool:
    letters = [c for c in text if not c.isspace()]
    return bool(letters) and sum(ord(c) > 0x24F or not c.isprintable() for c in letters) / len(letters) > STRANGE
