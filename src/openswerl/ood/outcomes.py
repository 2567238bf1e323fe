"""From answers to outcomes: one row an item, with its verdict."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openswerl.evaluate.results.taxonomy import not_judged
from openswerl.models.prompts import Prompt, digest_of, plain_prompt
from openswerl.ood.asking import Answers
from openswerl.ood.execution import Sandboxes, Verdict
from openswerl.ood.suite import Item, NoAnswer, Program, Row, Suite
from openswerl.ood.suites import SUITES
from openswerl.rollout import FAULTS, Completion


def prompts(items: Mapping[str, Sequence[Item]], form: str) -> Iterator[Prompt]:
    """Yield the prompt of every item of every suite."""
    for group in items.values():
        yield from (plain_prompt(item.question, form) for item in group)


def outcomes(name: str, items: Sequence[Item], answers: Answers, sandboxes: Sandboxes, cfg: Any) -> Iterator[Row]:
    """Yield the outcome of every item of a suite; `cfg` is the whole config.

    {suite, id, group, prompt_sha, output, finished, answer, status, reason, correct}: `answer` is None where none was
    found, `correct` where nothing is known of the policy.
    """
    for item in items:
        digest = digest_of(plain_prompt(item.question, cfg.model.prompt))
        said = answers[digest]
        answer, verdict = _judged(SUITES[name], item, said, sandboxes, cfg.ood.suites[name].python)
        known = not_judged(verdict.status, verdict.reason) is None
        yield {
            "suite": name,
            "id": item.id,
            "group": item.group,
            "prompt_sha": digest,
            "output": said.text,
            "finished": said.finished,
            "answer": answer,
            "status": verdict.status,
            "reason": verdict.reason,
            "correct": verdict.status == "correct" if known else None,
        }


def _judged(
    suite: Suite, item: Item, said: Completion, sandboxes: Sandboxes, python: str | None
) -> tuple[str | None, Verdict]:
    """Return the answer in an output, and what it is worth. One that was cut off is read as far as it goes."""
    if said.fault in FAULTS:
        return None, Verdict("error", said.fault)
    if said.fault:
        return None, Verdict("too_long", said.fault)
    try:
        answer = suite.answer(item, said.text)
    except NoAnswer as error:
        return None, Verdict("format_error", str(error))
    judged = suite.judge(item, answer)
    if isinstance(judged, Program):
        return answer, sandboxes.run(judged, python)
    return answer, Verdict("correct" if judged else "wrong", None if judged else "wrong_answer")
