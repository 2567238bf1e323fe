"""Hash the words of a text, and runs of words, as NumPy arrays; the same on every machine."""

import re
from zlib import crc32

import numpy as np

WORDS = re.compile(rb"[\w\x80-\xff]+")
TOKENS = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff]+")  # words, and the signs between them
BASE = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xBF58476D1CE4E5B9)
HALF = np.uint64(32)


def grams(text: str, size: int, pattern: re.Pattern[bytes] = WORDS) -> np.ndarray:
    """Return the distinct hashes (uint64, sorted) of every run of `size` words, without regard to case.

    A text of fewer words has none. Non-ASCII characters count as letters.
    """
    words = pattern.findall(text.lower().encode("utf-8", "surrogatepass"))
    count = len(words) - size + 1
    if count < 1:
        return np.empty(0, np.uint64)
    hashes = np.fromiter(map(crc32, words), np.uint64, len(words))
    total = hashes[:count].copy()
    for shift in range(1, size):
        total *= BASE
        total += hashes[shift : shift + count]
    return np.unique(mixed(total))


def mixed(values: np.ndarray) -> np.ndarray:
    """Spread the bits of uint64 values, in place."""
    values ^= values >> HALF
    values *= MIX
    values ^= values >> HALF
    return values
