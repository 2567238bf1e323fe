"""The evidence that an unchanged file belongs to a change: imports, co-change, nearness of paths, and words."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.relate.blobs import Facts, blobs_of, words_of
from openswerl.relate.imports import imported_files
from openswerl.relate.imports.files import Files
from openswerl.relate.languages import extension, is_test, same_language
from openswerl.relate.query import Query
from openswerl.relate.text import similarity
from openswerl.relate.tree import Tree

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
MAX_READ = 1000


class Signals(NamedTuple):
    """Evidence for one file: imports in words, then three numbers from 0 to 1."""

    path: str
    imports: tuple[str, ...]
    together: float
    near: float
    words: float


def candidates(changed: Sequence[str], tree: Tree, cfg: DictConfig) -> list[str]:
    """Return the unchanged files of the changed ones' languages; no empty ones, no tests unless `cfg.include_tests`."""
    wanted = {suffix for path in changed for suffix in same_language(path)}
    return [
        path
        for path, blob in tree.blobs.items()
        if blob != EMPTY_BLOB
        and path not in changed
        and extension(path) in wanted
        and (cfg.include_tests or not is_test(path))
    ]


def signals(query: Query, tree: Tree, cfg: DictConfig) -> list[Signals]:
    """Return the evidence for every candidate.

    In a tree of more than 1,000 candidates, only the first 1,000 by co-change and nearness are read: the others have
    no words, and no imports but those of the changed files.
    """
    paths = candidates(query.changed, tree, cfg)
    together = cochange(query.changed, tree.history(cfg.history))
    near = {path: max(nearness(path, other) for other in query.changed) for path in paths}
    read = sorted(paths, key=lambda path: (-together.get(path, 0.0), -near[path], path))[:MAX_READ]
    imports = _import_links(query.changed, read, tree)
    words = dict(zip(read, _words(query, read, tree), strict=True))
    return [
        Signals(path, tuple(imports.get(path, ())), together.get(path, 0.0), near[path], words.get(path, 0.0))
        for path in paths
    ]


def _facts(tree: Tree, path: str) -> Facts:
    return blobs_of(tree.clone).facts(path, tree.blobs[path])


def _import_links(changed: Sequence[str], read: Iterable[str], tree: Tree) -> dict[str, list[str]]:
    files = Files(tree.blobs)
    links: dict[str, list[str]] = {}
    for path in sorted(set(changed) & tree.blobs.keys()):
        for target in sorted(imported_files(path, _facts(tree, path).references, files)):
            links.setdefault(target, []).append(f"imported by {path}")
    for path in read:
        for target in sorted(imported_files(path, _facts(tree, path).references, files).intersection(changed)):
            links.setdefault(path, []).append(f"imports {target}")
    return links


def _words(query: Query, read: Sequence[str], tree: Tree) -> list[float]:
    """Return BM25 scores; the changed files count as they stand at the base, never as the change leaves them."""
    vocabulary = blobs_of(tree.clone).vocabulary
    documents = [_facts(tree, path).words for path in read]
    asked = {vocabulary[word] for word in words_of(f"{query.text} {' '.join(query.changed)}") if word in vocabulary}
    asked.update(number for path in query.changed if path in tree.blobs for number in _facts(tree, path).words)
    return similarity(asked, documents, vocabulary)


def cochange(changed: Sequence[str], history: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return path to its share of the commits that touched a changed file."""
    relevant = [commit for commit in history if not commit.isdisjoint(changed)]
    counts = Counter(path for commit in relevant for path in commit)
    return {path: count / len(relevant) for path, count in counts.items()}


def nearness(one: str, other: str) -> float:
    """Return the share of folders in common, the top folder included: 1 for siblings."""
    folders = [posixpath.dirname(path).split("/") if "/" in path else [] for path in (one, other)]
    common = 0
    for left, right in zip(*folders, strict=False):
        if left != right:
            break
        common += 1
    return (common + 1) / (max(map(len, folders)) + 1)
