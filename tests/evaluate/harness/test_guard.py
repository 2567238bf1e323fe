import os
from pathlib import Path

import pytest

from openswerl.evaluate.harness.guard import refuse, refuse_path, shadows, touches_tests
from openswerl.raw_rows import read_lines


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("tests/test_a.py", "touches_tests"), ("pkg/tests/data.json", "touches_tests"), ("test/a.py", "touches_tests"),
        ("pkg/testing/x.py", "touches_tests"), ("Tests/a.py", "touches_tests"), ("test_a.py", "touches_tests"),
        ("pkg/a_test.py", "touches_tests"), ("app/tests.py", "touches_tests"), ("conftest.py", "touches_conftest"),
        ("pkg/conftest.py", "touches_conftest"), ("pytest.ini", "touches_runner"), ("tox.ini", "touches_runner"),
        ("setup.cfg", "touches_runner"), ("pyproject.toml", "touches_runner"), ("sitecustomize.py", "touches_startup"),
        ("usercustomize.py", "touches_startup"), ("evil.pth", "touches_startup"),
    ],
)  # fmt: skip
def test_tests_and_their_settings_are_refused_with_a_reason(path: str, reason: str) -> None:
    assert touches_tests(["pkg/fine.py", path]) and refuse_path(path) == reason
    assert refuse({"pkg/fine.py": "a", path: "a"}, {"pkg/fine.py": "b", path: "[pytest]\n"}) == reason
    assert refuse({path: "a"}, {path: "a"}) is None, "nothing changes"


@pytest.mark.parametrize(
    "path",
    ["pkg/core.py", "pkg/contest.py", "pkg/latest.py", "setup.py", "src/_pytest/x.py", "tests", "flask/testing.py"],
)
def test_source_is_let_through(path: str) -> None:
    assert not touches_tests([path]) and refuse({path: "a"}, {path: "b"}) is None


@pytest.mark.parametrize("path", ["pytest.py", "_pytest/main.py", "json.py", "json/__init__.py", "pluggy.py", "re.so"])
def test_a_new_module_that_would_be_imported_instead_is_refused(path: str) -> None:
    assert touches_tests([path], created=[path]) and refuse({}, {path: "x"}) == "shadows_module"
    assert not touches_tests([path]) and not touches_tests([f"pkg/{path}"], created=[f"pkg/{path}"])
    assert refuse({path: "x"}, {path: "y"}) is None


@pytest.mark.parametrize(
    ("repo", "path", "reason"),
    [
        ("django/django", "django/test/client.py", None),
        ("django/django", "django/test/runner.py", "touches_runner"),
        ("django/django", "tests/runtests.py", "touches_tests"),
        ("django/django", "django/test/tests/x.py", "touches_tests"),
        ("django/django", "django/contrib/test/x.py", "touches_tests"),
        ("o/r", "django/test/client.py", "touches_tests"),
        ("sympy/sympy", "sympy/testing/quality_unicode.py", None),
        ("sympy/sympy", "sympy/testing/runtests.py", "touches_runner"),
        ("sympy/sympy", "sympy/utilities/runtests.py", "touches_runner"),
        ("sympy/sympy", "bin/test", "touches_runner"),
        ("sympy/sympy", "sympy/core/tests/test_args.py", "touches_tests"),
        ("pytest-dev/pytest", "src/_pytest/main.py", None),
        ("pytest-dev/pytest", "testing/test_main.py", "touches_tests"),
        ("matplotlib/matplotlib", "lib/matplotlib/testing/compare.py", "touches_tests"),
    ],
)
def test_repositories_with_a_library_for_tests(repo: str, path: str, reason: str | None) -> None:
    assert refuse_path(path, repo) == reason and touches_tests([path], repo=repo) == (reason is not None)


CFG = "[metadata]\nname = a\n\n[options]\ninstall_requires =\n    b\n\n[tool:pytest]\naddopts = -q\n"
TOML = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n'


@pytest.mark.parametrize(("path", "text"), [("setup.cfg", CFG), ("sub/pyproject.toml", TOML)])
def test_shared_settings_may_change_where_they_do_not_speak_of_tests(path: str, text: str) -> None:
    assert refuse({path: text}, {path: text.replace("a", "c", 1)}) is None
    assert refuse({path: text}, {path: text.replace("-q", "-p evil")}) == "touches_runner"
    assert refuse({path: text}, {path: text.partition("[tool")[0]}) == "touches_runner"
    assert refuse({path: text}, {path: None}) == refuse({}, {path: text}) == "touches_runner"
    assert refuse({path: text}, {path: text + "[["}) == "touches_runner", "one that cannot be read"
    assert refuse({f"tests/{path}": text}, {f"tests/{path}": text + "\n"}) == "touches_runner"


def test_a_plugin_that_the_settings_declare_is_refused() -> None:
    assert refuse({"pyproject.toml": TOML}, {"pyproject.toml": TOML + '[project.entry-points.pytest11]\nx = "y"\n'})
    assert refuse({"setup.cfg": CFG}, {"setup.cfg": CFG + "[options.entry_points]\npytest11 =\n    x = y\n"})


@pytest.mark.skipif("OPENSWERL_DATA" not in os.environ, reason="OPENSWERL_DATA is not set")
def test_no_published_fix_is_refused_and_every_test_patch_is() -> None:
    """But for pylint-4661, which adds a requirement to setup.cfg, and for files of libraries that serve as tests."""
    from unidiff import PatchSet

    fixes, let_through, count = [], [], 0
    for name in ("verified_instances", "lite_only_instances"):
        for row in read_lines(Path(os.environ["OPENSWERL_DATA"], "swebench", f"{name}.jsonl.gz")):
            count += 1
            for key, found, wanted in (("patch", fixes, True), ("test_patch", let_through, False)):
                for file in PatchSet(row[key]):
                    if bool(refuse_path(file.path, row["repo"], created=file.is_added_file)) == wanted:
                        found.append(f"{row['instance_id']} {file.path}")
    assert count == 561 and fixes == ["pylint-dev__pylint-4661 setup.cfg"]
    assert sorted(let_through) == [
        "django__django-14011 django/test/testcases.py",
        "sphinx-doc__sphinx-7910 sphinx/testing/util.py",
        "sympy__sympy-20916 sympy/testing/quality_unicode.py",
        "sympy__sympy-24102 sympy/testing/quality_unicode.py",
    ]


@pytest.mark.parametrize("path", ["", ".", "./"])
def test_a_path_that_names_no_file_shadows_nothing(path: str) -> None:
    """Models write such paths; git refuses them."""
    assert not shadows(path) and refuse({path: None}, {path: "x"}) is None
