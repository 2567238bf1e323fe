"""Lists of words and phrases, made into one pattern each."""

import re
from collections.abc import Iterable

NOTHING = r"(?!)"
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Words:
    """Entries to find in a text without regard to case, as whole tokens or anywhere.

    As a token, `fix*` and `*error` stand for its start and its end; a sign at the edge of an entry needs no boundary:
    `[bot]` is in `x[bot]y`, `bump` is not in `bumps`.
    """

    def __init__(self, words: Iterable[str], *, whole_tokens: bool = True) -> None:
        listed = list(words)
        self.stems = [(word.strip("*") if whole_tokens else word).lower() for word in listed]
        self.pattern = re.compile(
            "|".join(map(_token if whole_tokens else re.escape, listed)) or NOTHING, re.IGNORECASE
        )

    def found(self, text: str) -> bool:
        """Whether any entry is in a text."""
        lower = text.lower()
        for stem in self.stems:  # ten times as fast as the pattern alone, which few texts need
            if stem in lower:
                return self.pattern.search(text) is not None
        return False


def starts(words: Iterable[str]) -> re.Pattern[str]:
    """Match a text that starts with an entry, after signs such as brackets."""
    return re.compile(rf"[\W_]*(?:{'|'.join(map(_token, words)) or NOTHING})", re.IGNORECASE)


def negated(words: Iterable[str]) -> re.Pattern[str]:
    """Match an entry that is denied: "not a bug", "without any error", "never fails"; "should not crash" is not."""
    deny = r"(?<!should )(?<!must )(?:\b(?:no|not|never|without)|n't)\s+(?:(?:an?|any|really|actually|the)\s+)*"
    return re.compile(f"{deny}(?:{'|'.join(map(_token, words)) or NOTHING})", re.IGNORECASE)


def _token(word: str) -> str:
    stem = word.strip("*")
    before = r"(?<!\w)" if stem[:1].isalnum() else ""
    after = r"(?!\w)" if stem[-1:].isalnum() else ""
    return (r"\w*" if word[0] == "*" else before) + re.escape(stem) + (r"\w*" if word[-1] == "*" else after)
