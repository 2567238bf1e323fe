import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.relate.blobs import words_of
from openswerl.relate.text import similarity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", ["parse", "http", "header"]),
        ("parse_http_header2", ["parse", "http", "header"]),
        ("x = MAX_SIZE + 42", ["max", "size", "42"]),
        ("Größe naïve", ["größe", "naïve"]),
        ("ответ 答え", ["ответ", "答え"]),
        ("", []),
    ],
)
def test_words_are_the_parts_of_identifiers(text, expected):
    assert words_of(text) == expected


def lucene(query: set[int], documents: list[list[int]]) -> list[float]:
    """BM25 as Lucene defines it, k1 1.5, b 0.75."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for word in query:
            holders = sum(word in other for other in documents)
            rarity = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            count = document.count(word)
            score += rarity * count / (count + 1.5 * (1 - 0.75 + 0.75 * len(document) / mean))
        scores.append(score)
    return [score / (max(scores) or 1) for score in scores]


@given(st.sets(st.integers(0, 5)), st.lists(st.lists(st.integers(0, 5), max_size=8), min_size=1, max_size=6))
def test_scores_are_bm25_over_the_highest(query, documents):
    vocabulary = {str(number): number for number in range(6)}
    found = similarity(query, [array("i", document) for document in documents], vocabulary)
    if any(documents):
        assert found == pytest.approx(lucene(query, documents), abs=1e-4)
    assert len(found) == len(documents) and len(vocabulary) == 6
    assert all(0 <= score <= 1 for score in found)
