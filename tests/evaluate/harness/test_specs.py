import gzip
import json
import os
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.harness.specs import find_spec, known_parsers, spec_of
from openswerl.raw_rows import read_lines


@pytest.mark.parametrize(
    ("repo", "version", "python"),
    [
        ("django/django", "1.11", "3.5"), ("django/django", "3.2", "3.6"), ("django/django", "4.0", "3.8"),
        ("django/django", "4.2", "3.9"), ("django/django", "5.0", "3.11"), ("matplotlib/matplotlib", "3.4", "3.8"),
        ("matplotlib/matplotlib", "3.10", "3.11"), ("scikit-learn/scikit-learn", "0.22", "3.6"),
        ("astropy/astropy", "v5.3", "3.10"), ("sympy/sympy", "1.12", "3.9"),
    ],
)  # fmt: skip
def test_versions_are_compared_as_numbers(repo: str, version: str, python: str) -> None:
    """The interpreters of the official images."""
    assert spec_of(repo, version).python == python


def test_what_a_version_does_not_change_stays() -> None:
    old, new = spec_of("pytest-dev/pytest", "5.4"), spec_of("pytest-dev/pytest", "6.0")
    assert old.test_command == new.test_command == "pytest -rA" and "toml==0.10.2" in {*new.packages} - {*old.packages}
    assert spec_of("django/django", "1.9").test_command == "./tests/runtests.py --verbosity 2"
    assert "--parallel 1" in spec_of("django/django", "1.10").test_command


def test_commands_name_files_or_djangos_labels() -> None:
    django = spec_of("django/django", "4.1").command(["tests/forms_tests/tests/test_forms.py", "tests/a/tests.py"])
    assert django.endswith("--parallel 1 forms_tests.tests.test_forms a.tests")
    assert spec_of("pytest-dev/pytest", "7.0").command(["testing/a b.py"]) == "pytest -rA 'testing/a b.py'"


def test_an_unknown_repository_and_a_strange_version_are_told() -> None:
    assert find_spec("o/r", "1") is None
    with pytest.raises(UserError, match=r"o/r 1 is not in specs\.yaml"):
        spec_of("o/r", "1")
    assert find_spec("django/django", "main") is None is find_spec("django/django", "")


def test_swebench_has_every_parser() -> None:
    from swebench.harness.log_parsers import PARSER_REGISTRY

    assert known_parsers() <= PARSER_REGISTRY.keys()


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
def test_interpreters_are_those_of_the_published_pins() -> None:
    folder = Path(os.environ["OPENSWERL_DATA"], "swebench")
    pins = json.loads(gzip.decompress((folder / "verified_env_pins.json.gz").read_bytes()))
    rows = read_lines(folder / "verified_instances.jsonl.gz")
    found = {row["instance_id"]: spec_of(row["repo"], row["version"]).python for row in rows}
    pinned = {name: pins["envs"][pins["instances"][name]]["conda"]["python"].rpartition(".")[0] for name in found}
    assert len(found) == 393 and found == pinned
