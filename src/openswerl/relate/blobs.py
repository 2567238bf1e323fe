"""What a predictor reads in the files of one clone, once for each blob: the trees of a clone share most of theirs."""

import functools
import re
from array import array
from typing import NamedTuple
from weakref import WeakKeyDictionary

from openswerl.crawl.clone import Clone, as_text
from openswerl.relate.imports import references

PART = re.compile(r"[A-ZÀ-Þ]+(?=[A-ZÀ-Þ][a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+|[^\W_A-Za-zÀ-ÿ]+")
CACHED = 4096
MAX_WORDS = 4096


class Facts(NamedTuple):
    """The names that a blob imports, and its words, its path's among them, as numbers of the clone's vocabulary."""

    references: tuple[str, ...]
    words: "array[int]"


NOTHING = Facts((), array("i"))


def words_of(text: str) -> list[str]:
    """Return the parts of identifiers in lower case: parseHTTPHeader, or parse_http_header, is parse http header."""
    return [part.lower() for part in PART.findall(text) if len(part) > 1]


class Blobs:
    """Facts of one clone's blobs; nothing here is stored or shown, so contents are read as git has them."""

    def __init__(self, clone: Clone) -> None:
        objects, vocabulary = clone.objects, dict[str, int]()

        @functools.lru_cache(CACHED)
        def facts(path: str, blob: str) -> Facts:
            found = objects.read(blob)
            text = as_text(found.data).text if found and found.whole else None
            if not text:
                return NOTHING
            words = words_of(f"{path}\n{text}")[:MAX_WORDS]
            numbers = (vocabulary.setdefault(word, len(vocabulary)) for word in words)
            return Facts(references(path, text), array("i", numbers))

        self.vocabulary = vocabulary
        self.facts = facts


_OPEN: "WeakKeyDictionary[Clone, Blobs]" = WeakKeyDictionary()


def blobs_of(clone: Clone) -> Blobs:
    """Return the facts of an open clone; they go with it."""
    return _OPEN.setdefault(clone, Blobs(clone))
