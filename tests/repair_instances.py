"""Instances of a few lines with answers whose reward is known, for tests of the adapters."""

import difflib

from openswerl.records import Instance, SourceFile
from openswerl.reward import golden_answer

PRICE = "def total(price, count):\n    return price\n"
FIXED = "def total(price, count):\n    return price * count\n"
RELATED = SourceFile("notes.py", "RATE = 2\n")
MALFORMED = "I do not know."


def instance(padding: str = "") -> Instance:
    """Return an instance about one function; `padding` makes the file longer below it."""
    before, after = SourceFile("shop.py", PRICE + padding), SourceFile("shop.py", FIXED + padding)
    return Instance("shop-1", "shop", "0" * 40, "total ignores count", [before], [RELATED], [after], "")


SMALL = instance()
# Below the function are lines of so many characters that to compare two diffs of it takes hours.
LARGE = instance(f"A = '{'0123456789' * 20_000}'\n" * 3)
GOLDEN = golden_answer(SMALL, "search_replace")
NEAR = GOLDEN.replace("price * count", "price + count")
LIMITED = {"time_limit_s": 0.5}


def near_reward() -> float:
    """Return what NEAR earns for the small instance, by difflib from hand-written diffs."""
    head = "@@ -1,2 +1,2 @@\n def total(price, count):\n-    return price\n+    return price "
    return difflib.SequenceMatcher(None, f"{head}+ count", f"{head}* count", autojunk=False).ratio()
