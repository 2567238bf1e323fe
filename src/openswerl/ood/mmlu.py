"""MMLU (Hendrycks et al., 2021): one letter of four; the rate is the mean over subjects (Table 3)."""

import re
from string import ascii_uppercase

from openswerl.ood.answers import answer_line, final
from openswerl.ood.suite import Item, NoAnswer, Row, text

ASKED = """\
Answer this question. The last line of your answer has the form Answer: $LETTER, without quotes, where $LETTER is one \
of {letters}. Think step by step first.

{question}

{choices}"""
LETTER = re.compile(r"\(?([A-Z])(?![A-Za-z0-9])")


def item(row: Row) -> Item:
    """Read a row of the data set on the Hub: question, choices, subject, and the number of the right choice."""
    choices, right = row["choices"], row["answer"]
    if not isinstance(right, int) or not 0 <= right < len(choices) <= len(ascii_uppercase):
        raise ValueError("answer is not the number of a choice")
    letters = ascii_uppercase[: len(choices)]
    lines = "\n".join(f"{letter}) {choice}" for letter, choice in zip(letters, choices, strict=True))
    question = ASKED.format(letters=letters, question=text(row, "question"), choices=lines)
    return Item(str(row.get("id") or ""), question, row, text(row, "subject"))


def answer(item: Item, output: str) -> str:
    """Return the letter that the last "Answer:" names, else the one that the answer begins with. Raises NoAnswer."""
    said = final(output)
    match = LETTER.match((answer_line(said) or said).strip(" \t\r\n*$`"))
    if match is None or match[1] not in ascii_uppercase[: len(item.row["choices"])]:
        raise NoAnswer("no_letter")
    return match[1]


def judge(item: Item, answer: str) -> bool:
    """Whether the letter is that of the right choice."""
    return answer == ascii_uppercase[item.row["answer"]]
