"""BM25 of files against a pull request: its title, its description, and the words of the files that it changes."""

import logging
from array import array
from collections.abc import Collection, Sequence

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized

logging.getLogger("bm25s").setLevel(logging.WARNING)  # importing it asks for debug messages


def similarity(query: Collection[int], documents: Sequence["array[int]"], vocabulary: dict[str, int]) -> list[float]:
    """Return the BM25 score (Lucene's form, k1 1.5, b 0.75) of each document, divided by the highest: 0 to 1.

    Query and documents are word numbers of the vocabulary. A word of the query counts once.
    """
    if not query or not any(documents):
        return [0.0] * len(documents)
    index = bm25s.BM25()
    corpus = Tokenized(ids=[list(words) for words in documents], vocab=vocabulary)
    index.index(corpus, create_empty_token=False, show_progress=False)
    scores = index.get_scores_from_ids(sorted(query))
    return [float(score) for score in scores / max(float(np.max(scores)), 1e-9)]
