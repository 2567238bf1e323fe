"""Rank the unchanged files of a tree by how much a change of others concerns them, without a model."""

import functools
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from omegaconf import DictConfig

from openswerl.crawl.clone import Clone
from openswerl.relate.imports import Module, imported_files, imported_modules
from openswerl.relate.tree import Tree

IMPORT_WEIGHT = 4.0
COCHANGE_WEIGHT = 2.0
PATH_WEIGHT = 1.0
LANGUAGES = (
    (".py", ".pyx", ".pyi"),
    (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"),
    (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".hh"),
    (".java", ".kt", ".scala", ".groovy"),
)
TEST_FOLDERS = {"test", "tests", "testing", "spec", "specs", "__tests__"}
TEST_NAME = re.compile(r"(?:test_.*|.*[_.-](?:test|tests|spec)|.*(?:Test|Tests|Spec)|conftest)\.\w+")


class Ranked(NamedTuple):
    """A file, its score, and what made it."""

    path: str
    score: float
    reasons: tuple[str, ...]


def rank_static(changed: Sequence[str], tree: Tree, cfg: DictConfig) -> list[Ranked]:
    """Return unchanged files of the changed ones' languages, best first, ties by path.

    Score: 4 for an import in either direction, up to 2 for the share of commits that changed both, up to 1 for
    nearness of paths. So an import outweighs all else.
    """
    wanted = set().union(*(same_language(path) for path in changed))
    candidates = [
        path
        for path in tree.blobs
        if path not in changed and extension(path) in wanted and (cfg.include_tests or not is_test(path))
    ]
    imports = _import_links(changed, candidates, tree)
    together = _cochange(changed, tree.history(cfg.history))
    ranked = [_ranked(path, changed, imports.get(path, []), together.get(path, 0.0)) for path in candidates]
    return sorted(ranked, key=lambda file: (-file.score, file.path))


def _ranked(path: str, changed: Sequence[str], imports: list[str], together: float) -> Ranked:
    near = max(nearness(path, other) for other in changed)
    score = IMPORT_WEIGHT * bool(imports) + COCHANGE_WEIGHT * together + PATH_WEIGHT * near
    reasons = [*imports, f"path {near:.2f}"]
    if together:
        reasons.insert(len(imports), f"changed together {together:.2f}")
    return Ranked(path, round(score, 6), tuple(reasons))


def _import_links(changed: Sequence[str], candidates: Iterable[str], tree: Tree) -> dict[str, list[str]]:
    links: dict[str, list[str]] = {}
    for path in sorted(changed):
        for target in imported_files(path, _modules(tree, path), tree.blobs):
            links.setdefault(target, []).append(f"imported by {path}")
    for path in candidates:
        for target in sorted(imported_files(path, _modules(tree, path), tree.blobs)):
            if target in changed:
                links.setdefault(path, []).append(f"imports {target}")
    return links


def _modules(tree: Tree, path: str) -> tuple[Module, ...]:
    blob = tree.blobs.get(path)
    return _blob_modules(tree.clone, blob) if blob and path.endswith((".py", ".pyx", ".pyi")) else ()


@functools.lru_cache(maxsize=1 << 16)
def _blob_modules(clone: Clone, blob: str) -> tuple[Module, ...]:
    """The trees of one clone share most of their blobs."""
    return imported_modules(clone.content(blob).text or "")


def _cochange(changed: Sequence[str], history: Sequence[frozenset[str]]) -> dict[str, float]:
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


def extension(path: str) -> str:
    """Return a path's suffix in lower case."""
    return posixpath.splitext(path)[1].lower()


def same_language(path: str) -> tuple[str, ...]:
    """Return the suffixes of a path's language, or its own suffix alone."""
    suffix = extension(path)
    return next((language for language in LANGUAGES if suffix in language), (suffix,))


def is_test(path: str) -> bool:
    """Whether a path looks like a test, by its folder or its name."""
    *folders, name = path.split("/")
    return not TEST_FOLDERS.isdisjoint(folders) or TEST_NAME.fullmatch(name) is not None
