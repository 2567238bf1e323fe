"""Speed of the reward: the matcher against difflib, the worst case, a step of 512. The last line is JSON."""

import difflib
import json
import random
import time

import cydifflib

from openswerl.edits import InexpressibleError, TooLargeError, diff_body, minimal_blocks, render
from openswerl.laptop.tasks import make_repair
from openswerl.reward import Call, ScorePool
from openswerl.reward.scoring import score_small
from openswerl.reward.settings import Settings

PAIRS = 2000
ROUNDS = 4
ROLLOUTS, GROUP = 512, 16  # paper 3.1: 32 problems with 16 rollouts each
TIME_LIMIT_S = 2.0
Pair = tuple[str, str]


def functions(rng: random.Random, count: int) -> list[str]:
    return [next(iter(make_repair(rng).task.context.values())) for _ in range(count)]


def edited(rng: random.Random, parts: list[str], share: float) -> str:
    """Return a file of which about `share` of the functions were rewritten, at least one."""
    chosen = rng.sample(range(len(parts)), max(1, round(share * len(parts))))
    return "\n\n".join(functions(rng, 1)[0] if place in chosen else part for place, part in enumerate(parts))


def diff_pairs(rng: random.Random) -> list[Pair]:
    """Return predicted and oracle diffs of files of two to seven functions."""
    pairs = []
    for number in range(PAIRS):
        parts = functions(rng, 2 + number % 6)
        old, *new = "\n\n".join(parts), edited(rng, parts, 0.4), edited(rng, parts, 0.4)
        pairs.append((diff_body(old, new[0]), diff_body(old, new[1])))
    return pairs


def ratios(matcher: type, pairs: list[Pair]) -> tuple[float, list[float]]:
    """Return CPU seconds and the ratios."""
    start = time.process_time()
    found = [matcher(None, first, second, autojunk=False).ratio() for first, second in pairs]
    return time.process_time() - start, found


def compare(pairs: list[Pair]) -> dict[str, float]:
    """Run difflib and cydifflib by turns on parts of the pairs."""
    plain = fast = 0.0
    mismatches = 0
    for turn in range(ROUNDS):
        part = pairs[turn::ROUNDS]
        seconds, expected = ratios(difflib.SequenceMatcher, part)
        plain += seconds
        seconds, found = ratios(cydifflib.SequenceMatcher, part)
        fast += seconds
        mismatches += sum(a.hex() != b.hex() for a, b in zip(expected, found, strict=True))
    characters = sum(len(first) + len(second) for first, second in pairs) // (2 * len(pairs))
    return {
        "reward_vs_difflib": round(plain / fast, 1),
        "reward_mismatches": mismatches,
        "reward_pairs": len(pairs),
        "reward_mean_characters": characters,
    }


def worst_case(rng: random.Random) -> dict[str, float]:
    """Return the seconds that a rewrite of 4,000 lines takes until its time-out is told."""
    first, second = ("".join(f"{rng.getrandbits(80):x}\n" for _ in range(4000)) for _ in "ab")
    output = render("t", minimal_blocks({}, {"n.py": first}))
    with ScorePool(time_limit_s=TIME_LIMIT_S) as pool:
        start = time.perf_counter()
        (scored,) = pool.score_many([({}, {"n.py": second}, output)])
        seconds = time.perf_counter() - start
    assert scored.reward is None and scored.reason == "timeout"
    return {"reward_worst_case_s": round(seconds, 2), "reward_time_limit_s": TIME_LIMIT_S}


def rollouts(rng: random.Random) -> list[Call]:
    """Return answers to files of eight functions: an eighth malformed, an eighth rewrites most of the file."""
    calls: list[Call] = []
    while len(calls) < ROLLOUTS:
        parts = functions(rng, 8)
        context, oracle = {"m.py": "\n\n".join(parts)}, {"m.py": edited(rng, parts, 0.1)}
        for number in range(GROUP):
            new = {"m.py": edited(rng, parts, 0.8 if number % 8 == 1 else 0.1)}
            try:
                output = render("t", minimal_blocks(context, new))
            except InexpressibleError:
                output = ""
            calls.append(Call(context, oracle, output.replace("</think>", "") if number % 8 == 0 else output))
    return calls


def is_large(call: Call) -> bool:
    try:
        score_small(call, Settings())
    except TooLargeError:
        return True
    return False


def throughput(calls: list[Call]) -> dict[str, float]:
    """Score one step without a cache, its processes started before."""
    with ScorePool(workers=2, time_limit_s=60.0) as pool:
        large = [call for call in calls if is_large(call)]
        pool.score_many(large[:2])
        start = time.perf_counter()
        scores = pool.score_many(calls)
        seconds = time.perf_counter() - start
    assert len(scores) == ROLLOUTS and all(scored.reward is not None for scored in scores)
    return {
        "rollouts_per_second_2_workers": round(ROLLOUTS / seconds, 1),
        "reward_step_s": round(seconds, 2),
        "reward_large_rollouts": len(large),
    }


def main() -> None:
    rng = random.Random(0)
    print(json.dumps({**compare(diff_pairs(rng)), **worst_case(rng), **throughput(rollouts(rng))}))


if __name__ == "__main__":
    main()
