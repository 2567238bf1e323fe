"""Reranking 500 patches by 30 reproduction tests: python bench/evaluate_rerank.py. Last line JSON, in CPU seconds.

`rerank_seconds` is the choice and its three ablations; `normalise_seconds` the keys of 500 different patches of a file
of 500 lines, which are made once, while patches come in.
"""

import json
import random
import time

from openswerl.evaluate.mini.evidence import Patch
from openswerl.evaluate.mini.normalise import vote_key
from openswerl.evaluate.mini.rerank import Stages, choices

PATCHES, TESTS, LINES = 500, 30, 500


def patches(rng: random.Random) -> list[Patch]:
    flags = [[rng.random() < 0.5 for _ in range(TESTS)] for _ in range(40)]
    return [Patch(f"patch {k}", f"key {k}", False, rng.randrange(3), rng.choice(flags)) for k in range(PATCHES)]


def main() -> None:
    rng = random.Random(0)
    made = patches(rng)
    start = time.process_time()
    choices(list(range(PATCHES)), made, Stages())
    chosen = time.process_time()
    lines = [f"def function_{k}(a, b=None):\n    return a if b is None else (a, b, {k})\n" for k in range(LINES // 2)]
    old = {"module.py": "".join(lines)}
    keys = {vote_key(old, {"module.py": "".join([*lines, f"VALUE = {k}\n"])}) for k in range(PATCHES)}
    if len(keys) != PATCHES:
        raise SystemExit("different patches have the same key")
    end = time.process_time()
    print(json.dumps({"rerank_seconds": round(chosen - start, 3), "normalise_seconds": round(end - chosen, 2)}))


if __name__ == "__main__":
    main()
