"""Looking for interpreters: stand-ins that are shell scripts, and the one that runs this test."""

import sys
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.backends.interpreters import ask, find

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def _stand_in(prefix: Path, says: str, name: str = "python3.9") -> None:
    (prefix / "bin").mkdir(parents=True)
    path = prefix / "bin" / name
    path.write_text(f"#!/bin/sh\necho {says} {prefix}\n")
    path.chmod(0o755)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: Any) -> list[str]:
    monkeypatch.setenv("PATH", f"{tmp_path}/path/bin:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    return ["python{version}", "~/versions/{version}.*/bin/python{version}"]


def test_the_newest_of_a_place_is_taken(tmp_path: Path, places: list[str]) -> None:
    for number in ("3.9.9", "3.9.18", "3.9.2"):
        _stand_in(tmp_path / "versions" / number, number)
    found = find("3.9", places)
    assert found == (tmp_path / "versions/3.9.18/bin/python3.9", "3.9.18", tmp_path / "versions/3.9.18")


def test_path_comes_first_and_what_does_not_start_or_is_another_is_passed_over(
    tmp_path: Path, places: list[str]
) -> None:
    _stand_in(tmp_path / "versions" / "3.9.1", "3.9.1")
    _stand_in(tmp_path / "path", "3.9.7")
    assert find("3.9", places) is not None and find("3.9", places).version == "3.9.7"  # type: ignore[union-attr]
    (tmp_path / "path/bin/python3.9").write_text("#!/bin/sh\nexit 127\n")
    assert find("3.9", places).version == "3.9.1"  # type: ignore[union-attr]
    (tmp_path / "versions/3.9.1/bin/python3.9").write_text("#!/bin/sh\necho 3.10.1 /\n")
    assert find("3.9", places) is None


def test_a_virtual_environment_gives_its_base() -> None:
    found = ask(sys.executable, VERSION)
    assert found is not None and found.prefix == Path(sys.base_prefix)
    assert not found.path.is_relative_to(sys.prefix) or sys.prefix == sys.base_prefix


def test_what_is_no_program_is_passed_over(tmp_path: Path) -> None:
    for name, text in (("a", ""), ("b", "\x7fELF of another machine")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
        assert ask(str(tmp_path / name), VERSION) is None
