"""Speed of the similarity against difflib on realistic diffs: python bench/similarity.py. The last line is JSON."""

import difflib
import json
import random
import time

import cydifflib

from openswerl.edits import diff_body
from openswerl.laptop.tasks import make_repair


def pairs(count: int, functions: int) -> list[tuple[str, str]]:
    """Return pairs of diff bodies, each of an edit that rewrites part of a file of several functions."""
    rng = random.Random(0)
    found = []
    for _ in range(count):
        files = [
            "\n\n".join(next(iter(make_repair(rng).task.context.values())) for _ in range(functions)) for _ in "abc"
        ]
        found.append((diff_body(files[0], files[1]), diff_body(files[0], files[2])))
    return found


def seconds(matcher: type, work: list[tuple[str, str]]) -> tuple[float, list[float]]:
    """Return CPU seconds and ratios."""
    start = time.process_time()
    ratios = [matcher(None, first, second, autojunk=False).ratio() for first, second in work]
    return time.process_time() - start, ratios


def main() -> None:
    work = pairs(20, 4)
    plain, expected = seconds(difflib.SequenceMatcher, work)
    fast, ratios = seconds(cydifflib.SequenceMatcher, work)
    characters = sum(len(first) + len(second) for first, second in work) // (2 * len(work))
    print(
        json.dumps(
            {
                "pairs": len(work),
                "mean_characters": characters,
                "difflib_cpu_s": round(plain, 3),
                "cydifflib_cpu_s": round(fast, 3),
                "speedup": round(plain / fast, 1),
                "equal": ratios == expected,
            }
        )
    )


if __name__ == "__main__":
    main()
