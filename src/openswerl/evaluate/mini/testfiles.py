"""Which test files of the base belong to an issue: by name, by import, by words. Nothing of the gold data is asked."""

import posixpath
import re
from collections.abc import Collection, Sequence

from openswerl.relate import Tree
from openswerl.relate.blobs import blobs_of, words_of
from openswerl.relate.imports import imported_files
from openswerl.relate.imports.files import Files
from openswerl.relate.languages import OF_SUFFIX, extension, is_test
from openswerl.relate.signals import nearness
from openswerl.relate.text import similarity

MAX_READ = 500
TEST_WORD = re.compile(r"(?:^|[_.-])(?:tests?|spec)(?=[_.\-\d]|$)|^Test(?=[A-Z])|(?:Tests?|Spec)$")
SETTINGS = {"conftest", "__init__"}
NAMED, IMPORTS = 2.0, 1.0  # our choice; the words of the issue count from 0 to 1


def rank_tests(statement: str, modules: Collection[str], tree: Tree) -> list[str]:
    """Return the test files that have to do with an issue, the likeliest first, ties by path.

    A file counts if it is named after a localised module (test_core.py, core_test.go, CoreTest.java), if it imports
    one, or if it has words of the issue. Of more than 500 test files, only the first by name and folder are read.
    """
    tests = [path for path in tree.blobs if is_test_file(path) and path not in modules]
    near = {path: max((nearness(path, module) for module in modules), default=0.0) for path in tests}
    stems = {_stem(module) for module in modules}
    named = {path for path in tests if subject(path) in stems}
    read = sorted(tests, key=lambda path: (path not in named, -near[path], path))[:MAX_READ]
    words, imports = _words(statement, read, tree), _importing(modules, read, tree)
    scores = {path: NAMED * (path in named) + IMPORTS * (path in imports) + words[path] for path in read}
    return sorted((path for path in read if scores[path] > 0), key=lambda path: (-scores[path], path))


def is_test_file(path: str) -> bool:
    """Whether a path is a file of tests, and not one of their helpers or data."""
    if extension(path) not in OF_SUFFIX or not is_test(path) or _stem(path) in SETTINGS:
        return False
    return TEST_WORD.search(posixpath.splitext(posixpath.basename(path))[0]) is not None


def subject(path: str) -> str:
    """Return the module that a test file is named after: test_core.py and core_test.py are about core."""
    return TEST_WORD.sub("", posixpath.splitext(posixpath.basename(path))[0]).strip("_.-").lower()


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lower()


def _importing(modules: Collection[str], paths: Sequence[str], tree: Tree) -> set[str]:
    files, blobs = Files(tree.blobs), blobs_of(tree.clone)
    found = {path: imported_files(path, blobs.facts(path, tree.blobs[path]).references, files) for path in paths}
    return {path for path in paths if not found[path].isdisjoint(modules)}


def _words(statement: str, paths: Sequence[str], tree: Tree) -> dict[str, float]:
    blobs = blobs_of(tree.clone)
    documents = [blobs.facts(path, tree.blobs[path]).words for path in paths]
    asked = {blobs.vocabulary[word] for word in words_of(statement) if word in blobs.vocabulary}
    return dict(zip(paths, similarity(asked, documents, blobs.vocabulary), strict=True))
