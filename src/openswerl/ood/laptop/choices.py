"""Multiple choice in the form of MMLU: four subjects, eleven questions of each."""

from collections.abc import Iterator
from random import Random

from openswerl.ood.suite import Row

EACH = 11
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
UNITS = {"minutes": ("hours", 60), "grams": ("kilograms", 1000), "centimetres": ("metres", 100), "days": ("weeks", 7)}
WORDS = (
    *("apple", "bridge", "candle", "desert", "engine", "forest", "garden", "harbour", "island"),
    *("jacket", "kettle", "ladder", "meadow", "needle", "orchard", "pencil"),
)
Question = tuple[str, str, list[str]]
"""The question, the right answer, and three wrong ones."""


def rows() -> Iterator[Row]:
    """Yield 44 rows of the benchmark: question, subject, choices, number of the right choice; each letter 11 times."""
    for number, (subject, making) in enumerate((*kind,) for kind in SUBJECTS.items() for _ in range(EACH)):
        draw = Random(f"choices {number}")
        question, right, choices = making(draw)
        draw.shuffle(choices)
        place = number % 4
        choices.insert(place, right)
        yield {
            "id": f"laptop/{number}",
            "question": question,
            "subject": subject,
            "choices": choices,
            "answer": place,
        }


def _calendar(draw: Random) -> Question:
    names, kind = draw.choice([(DAYS, "day"), (MONTHS, "month")])
    place, steps = draw.randrange(len(names)), draw.randint(1, 3)
    right = names[(place + steps) % len(names)]
    times = "" if steps == 1 else f", {steps} {kind}s later"
    wrong = draw.sample([name for name in names if name not in (right, names[place])], 3)
    return f"Which {kind} comes after {names[place]}{times}?", right, wrong


def _numbers(draw: Random) -> Question:
    numbers = draw.sample(range(10, 400), 4)
    word, choose = draw.choice([("largest", max), ("smallest", min)])
    right = choose(numbers)
    return f"Which of these numbers is the {word}?", str(right), [str(n) for n in numbers if n != right]


def _units(draw: Random) -> Question:
    small = draw.choice(sorted(UNITS))
    large, factor = UNITS[small]
    count = draw.randint(2, 9)
    wrong = [count + factor, factor * (count + 1), factor * (count - 1)]
    return f"How many {small} are {count} {large}?", str(factor * count), [str(n) for n in wrong]


def _words(draw: Random) -> Question:
    right, *wrong = draw.sample(WORDS, 4)
    return f"Which of these words begins with the letter {right[0]}?", right, wrong


SUBJECTS = {"calendar": _calendar, "numbers": _numbers, "units": _units, "words": _words}
