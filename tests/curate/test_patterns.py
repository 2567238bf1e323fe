import pytest

from openswerl.curate.patterns import Patterns

PATTERNS = Patterns(["go.sum", "*.lock", "vendor/", ".yarn/releases/", "jquery-[0-9]*.js", "test_*"])


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("go.sum", True),
        ("deep/GO.SUM", True),
        ("go.summary", False),
        ("Pipfile.lock", True),
        ("lock", False),
        ("vendor/a.py", True),
        ("src/Vendor/a.py", True),
        ("myvendor/a.py", False),
        ("vendor", False),  # a file of that name
        ("a/.yarn/releases/x", True),
        ("yarn/releases/x", False),
        ("js/jquery-3.1.js", True),
        ("js/jquery-ui.js", False),
        ("a/test_x.py", True),
        ("a/testing.py", False),
    ],
)
def test_names_suffixes_globs_and_folders(path, matches):
    assert PATTERNS.match(path) is matches


def test_an_empty_list_matches_nothing():
    assert not Patterns([]).match("a")
