import pytest

from openswerl.relate.languages import is_test, main_language, same_language


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/x.py", True),
        ("pkg/tests/x.py", True),
        ("test_x.py", True),
        ("x_test.go", True),
        ("a/x.spec.ts", True),
        ("src/FooTest.java", True),
        ("conftest.py", True),
        ("__tests__/a.js", True),
        ("testing.py", False),
        ("contest.py", False),
        ("latest.py", False),
        ("attestation/x.py", False),
        ("pkg/test.py", False),
    ],
)
def test_what_is_a_test(path, expected):
    assert is_test(path) is expected


def test_languages_that_share_projects_go_together():
    assert {".ts", ".js", ".tsx"} <= set(same_language("a.JS"))
    assert {".h", ".cpp"} <= set(same_language("x/a.c"))
    assert same_language("a.go") == (".go",)
    assert same_language("a.unheard") == (".unheard",)
    assert same_language("Makefile") == ("",)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a.py", "b.py", "c.js"], "Python"),
        (["a.ts", "b.js"], "JavaScript"),
        (["README.md"], ""),
        ([], ""),
        (["README.md", "x.rb", "y.md"], "Ruby"),
    ],
)
def test_the_main_language_is_that_of_most_files(paths, expected):
    assert main_language(paths) == expected
