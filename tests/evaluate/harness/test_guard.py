import pytest

from openswerl.evaluate.harness.guard import touches_tests


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py", "pkg/tests/data.json", "test/helper.py", "pkg/testing/x.py", "Tests/a.py", "test_a.py",
        "pkg/a_test.py", "conftest.py", "pkg/conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml",
        "sitecustomize.py", "usercustomize.py", "evil.pth",
    ],
)  # fmt: skip
def test_tests_and_their_settings_are_refused(path: str) -> None:
    assert touches_tests(["pkg/fine.py", path])


@pytest.mark.parametrize(
    "path", ["pkg/core.py", "pkg/contest.py", "pkg/latest.py", "setup.py", "src/_pytest/x.py", "tests"]
)
def test_source_is_let_through(path: str) -> None:
    assert not touches_tests([path])


@pytest.mark.parametrize("path", ["pytest.py", "_pytest/main.py", "json.py", "json/__init__.py", "pluggy.py", "re.so"])
def test_a_new_module_that_would_be_imported_instead_is_refused(path: str) -> None:
    assert touches_tests([path], created=[path])
    assert not touches_tests([path]) and not touches_tests([f"pkg/{path}"], created=[f"pkg/{path}"])
