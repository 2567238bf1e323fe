"""Share of the instance's own tests that pass in the sandbox of evaluation; beyond the paper.

The tests are those of the repository at the base commit, with the oracle's version of the test files that it changes;
if it changes some, those alone. Only tests that pass with the oracle's change count.
"""

import re
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from openswerl.crawl.git import clone_path
from openswerl.errors import UserError
from openswerl.evaluate.execution.trees import REGULAR, Entry, Tree, read_tree
from openswerl.evaluate.harness.guard import shadows, touches_tests
from openswerl.evaluate.sandbox import isolation
from openswerl.evaluate.sandbox.worker import Worker
from openswerl.reward.cache import key_of
from openswerl.reward.outcome import UnscorableError, Value
from openswerl.reward.settings import Call, Place
from openswerl.reward.work import Work

ANSWER = "search_replace"
OPTIONS = ("clones", "sandbox", "test_timeout_s")
PYTEST = ["--no-header", "-rpfE", "--tb=no", "-p", "no:cacheprovider"]
OWN_LIMITS = (resource.RLIMIT_CPU, resource.RLIMIT_DATA)
RESULT = re.compile(r"^(PASSED|FAILED|ERROR) (\S+)", re.MULTILINE)


def check(options: Mapping[str, Any]) -> None:
    """Raise UserError unless the options name a folder of clones, a sandbox that works and a time limit."""
    if set(options) != set(OPTIONS):
        raise UserError(f"reward=execution needs reward.options with {', '.join(OPTIONS)}, not {', '.join(options)}")
    clones = options["clones"]
    if clones is None or not Path(clones).is_dir():
        raise UserError(f"reward.options.clones={clones} is no folder; name that of the bare clones (owner__name.git)")
    isolation.require(options["sandbox"])


def reward(work: Work) -> Value:
    """Return the share of tests that pass; 0.0 (event `touches_tests`) for an edit of tests or of their settings.

    Raises UnscorableError: no_tests (nothing to run), tests_do_not_tell (they pass without any edit), timeout, and the
    sandbox's output_limit, process_limit and runner_lost.
    """
    call, options = work.call, work.settings.options
    if call.place is None:
        raise UserError("reward=execution needs to know the instance: score it through openswerl.reward.call_of")
    bench = _Bench(call.place, call.oracle, options)
    changed = _changed(call, work.edited.new)
    created = [path for path in changed if path not in call.context]
    if touches_tests(changed.keys() - bench.own.keys(), created):
        work.notes.add("touches_tests")
        return Value(0.0, {})
    counted = _counted(bench, call)
    return Value(len(counted & bench.passing(changed)) / len(counted), {})


def _counted(bench: "_Bench", call: Call) -> frozenset[str]:
    """Return the tests that pass with the oracle's change, if one of them fails without it."""
    key = key_of(call._replace(output=bench.clones))
    if key not in _COUNTED:
        passing = bench.passing(_changed(call, call.oracle))
        _COUNTED[key] = passing if passing - bench.passing({}) else frozenset()
    if not _COUNTED[key]:
        raise UnscorableError("tests_do_not_tell")
    return _COUNTED[key]


def _changed(call: Call, new: Mapping[str, str]) -> dict[str, str]:
    return {path: text for path, text in new.items() if text != call.context.get(path)}


_COUNTED: dict[bytes, frozenset[str]] = {}


class _Bench:
    """The repository of one instance, with its tests in place."""

    def __init__(self, place: Place, oracle: Mapping[str, str], options: Mapping[str, Any]) -> None:
        self.options, self.clones = options, str(options["clones"])
        clone = clone_path(Path(self.clones), place.repo)
        self.base = _tree(clone, place.base_commit)
        self.own = {path: text for path, text in oracle.items() if touches_tests([path])}
        self.tests = sorted(filter(_is_test, self.own)) or sorted(filter(_is_test, self.base))
        if not self.tests:
            raise UnscorableError("no_tests")

    def passing(self, changed: Mapping[str, str]) -> frozenset[str]:
        """Return the tests that pass with these new contents. Raises UnscorableError."""
        tree = self.base | {path: self._entry(path, text) for path, text in {**changed, **self.own}.items()}
        job = {
            "tree": {path: [entry.mode, entry.data.decode("latin-1")] for path, entry in tree.items()},
            "arguments": [*PYTEST, *self.tests],
            "timeout_s": self.options["test_timeout_s"],
            "own_interpreter": any(map(shadows, tree)),
        }
        with _children_without_own_limits():
            answer = _worker(self.options["sandbox"]).run(job)
        if answer["state"] != "exited":
            raise UnscorableError(answer["state"])
        results = RESULT.findall(answer["output"])
        failed = {name for state, name in results if state != "PASSED"}
        return frozenset(name for _, name in results) - failed

    def _entry(self, path: str, text: str) -> Entry:
        return Entry(self.base[path].mode if path in self.base else REGULAR, text.encode("utf-8", "surrogatepass"))


def _is_test(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


@lru_cache(maxsize=32)
def _tree(clone: Path, commit: str) -> Tree:
    return read_tree(clone, commit)


@cache
def _worker(kind: str) -> Worker:
    """Return this process's sandbox; it ends with the process."""
    return Worker(kind)


@contextmanager
def _children_without_own_limits() -> Iterator[None]:
    """Keep the limits of a scoring process, which count one call, from its sandbox, which has its own."""
    limits = {kind: resource.getrlimit(kind) for kind in OWN_LIMITS}
    for kind, (_, hard) in limits.items():
        resource.setrlimit(kind, (hard, hard))
    try:
        yield
    finally:
        for kind, limit in limits.items():
            resource.setrlimit(kind, limit)
