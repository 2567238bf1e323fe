r"""MATH (Hendrycks et al., 2021): an answer counts if it equals the reference, in whatever form.

Table 3 asks for "Answer: ..." on the last line, as OpenAI's simple-evals does. `strict` reads that alone, `lenient`
also \boxed{...}. Plain numbers are compared here; all else by math-verify, which knows LaTeX. It takes its time on some
texts and evaluates others, so it runs in the sandbox.
"""

import re
from fractions import Fraction

from openswerl.ood.answers import answer_line, boxed, final
from openswerl.ood.suite import Item, NoAnswer, Program, Row, text

ASKED = """\
Solve this problem step by step. The last line of your answer has the form Answer: $ANSWER, without quotes, where \
$ANSWER is the solution.

{problem}"""
NUMBER = re.compile(r"([+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?)(?:/([0-9]{1,40}))?")
LOOKS = re.compile(r"\\left|\\right|\\[,!; ]|[\s$]")  # what changes no meaning
READY = """\
from math_verify import parse, verify

gold = parse({gold!r})
"""
COMPARED = "assert any(verify(gold, parse(form)) for form in {forms!r})\n"


def item(row: Row) -> Item:
    """Read a row; its answer is `answer`, else what the solution boxes last."""
    gold = row["answer"] if isinstance(row.get("answer"), str) else boxed(text(row, "solution"))
    if not gold:
        raise ValueError("there is no answer")
    problem, name = text(row, "problem"), row.get("unique_id")
    group = next((str(row[key]) for key in ("subject", "type") if row.get(key)), "")
    return Item(str(name or ""), ASKED.format(problem=problem), {**row, "answer": gold}, group)


def strict(item: Item, output: str) -> str:
    """Return what the last "Answer:" says. Raises NoAnswer."""
    found = answer_line(final(output))
    if found is None:
        raise NoAnswer("no_answer_line")
    return found


def lenient(item: Item, output: str) -> str:
    """Return what the last "Answer:" says, else what is boxed last. Raises NoAnswer."""
    found = answer_line(final(output)) or boxed(final(output))
    if not found:
        raise NoAnswer("no_answer_line_or_box")
    return found


def judge(item: Item, answer: str) -> bool | Program:
    """Compare an answer with the reference, at once where both are plain numbers or the same text."""
    gold, said = item.row["answer"], boxed(answer) or answer
    if _plain(gold) == _plain(said):
        return True
    numbers = number(gold), number(said)
    if None not in numbers:
        return numbers[0] == numbers[1]
    forms = [f"${said.replace('$', '')}$", said]
    return Program(READY.format(gold=f"${gold}$"), COMPARED.format(forms=forms))


def number(said: str) -> Fraction | None:
    """Return the value of a plain number, such as -3, 1,200, 0.5 or 3/4; None of anything else."""
    match = NUMBER.fullmatch(re.sub(r"(?<=\d),(?=\d{3})", "", _plain(said)))
    if match is None or (match[2] and not int(match[2])):
        return None
    return Fraction(match[1]) / int(match[2] or 1)


def _plain(said: str) -> str:
    """Return an answer without what changes its looks alone."""
    return re.sub(r"\\[dt]frac", r"\\frac", LOOKS.sub("", said)).removesuffix(".")
