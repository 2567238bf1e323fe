"""Languages by suffix, under GitHub Linguist's names, and which of them one project mixes."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable

LANGUAGES = {
    "Python": (".py", ".pyi"),
    "Cython": (".pyx", ".pxd"),
    "JavaScript": (".js", ".jsx", ".mjs", ".cjs"),
    "TypeScript": (".ts", ".tsx", ".mts", ".cts"),
    "C": (".c", ".h"),
    "C++": (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    "Objective-C": (".m", ".mm"),
    "Java": (".java",),
    "Kotlin": (".kt", ".kts"),
    "Scala": (".scala",),
    "Groovy": (".groovy",),
    "Go": (".go",),
    "Ruby": (".rb", ".rake"),
    "Rust": (".rs",),
    "PHP": (".php",),
    "C#": (".cs",),
    "Swift": (".swift",),
    "R": (".r",),
    "Perl": (".pl", ".pm"),
    "Lua": (".lua",),
    "Shell": (".sh", ".bash"),
    "Haskell": (".hs",),
    "Elixir": (".ex", ".exs"),
    "Erlang": (".erl", ".hrl"),
    "Clojure": (".clj", ".cljs", ".cljc"),
    "Dart": (".dart",),
    "Julia": (".jl",),
}
FAMILIES = (
    ("Python", "Cython"),
    ("JavaScript", "TypeScript"),
    ("C", "C++", "Objective-C"),
    ("Java", "Kotlin", "Scala", "Groovy"),
)
OF_SUFFIX = {suffix: name for name, suffixes in LANGUAGES.items() for suffix in suffixes}
TEST_FOLDERS = {"test", "tests", "testing", "spec", "specs", "__tests__"}
TEST_NAME = re.compile(r"(?:test_.*|.*[_.-](?:test|tests|spec)|.*(?:Test|Tests|Spec)|conftest)\.\w+")


def extension(path: str) -> str:
    """Return a path's suffix in lower case."""
    return posixpath.splitext(path)[1].lower()


def same_language(path: str) -> tuple[str, ...]:
    """Return the suffixes of a path's language and of those that share its projects, or its own suffix alone."""
    name = OF_SUFFIX.get(extension(path))
    if name is None:
        return (extension(path),)
    family = next((names for names in FAMILIES if name in names), (name,))
    return tuple(suffix for member in family for suffix in LANGUAGES[member])


def main_language(paths: Iterable[str]) -> str:
    """Return the language of most of the paths, ties by name; empty if none is known."""
    counts = Counter(OF_SUFFIX[extension(path)] for path in paths if extension(path) in OF_SUFFIX)
    return min(counts, key=lambda name: (-counts[name], name), default="")


def is_test(path: str) -> bool:
    """Whether a path looks like a test, by its folder or its name."""
    *folders, name = path.split("/")
    return not TEST_FOLDERS.isdisjoint(folders) or TEST_NAME.fullmatch(name) is not None
