import pytest

from curate.pulls import change, changed, diff_of
from openswerl.curate.labels import label, seed_kind


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["README.md", "docs/conf.py"], "docs_only"),
        (["tests/test_a.py", "src/a_test.go", "web/x.spec.ts"], "tests_only"),
        ([".github/workflows/ci.yml", ".travis.yml"], "ci_only"),
        (["README.md", "tests/test_a.py"], ""),
        (["src/a.py", "README.md"], ""),
        (["src/contest.py", "src/docs.py"], ""),
        ([], ""),
    ],
)
def test_pitfall_15_docs_tests_and_ci_are_labelled(rules, paths, name):
    one = change(changed_files=[changed(path) for path in paths])
    assert label(one, rules) == name
    assert seed_kind(one, rules) == (name or None)


@pytest.mark.parametrize(
    ("edits", "name"),
    [
        ([("package.json", '"a": "1.0"', '"a": "1.1"'), ("yarn.lock", "a@1", "a@2 sum")], "version_bump_only"),
        ([("package.json", '"a": "1.0"', '"a": "1.1"'), ("src/a.js", "x", "y")], ""),
        ([("yarn.lock", "a@1", "a@2")], ""),
    ],
)
def test_pitfall_15_version_bumps_are_labelled(rules, edits, name):
    one = change(changed_files=[changed(path) for path, *_ in edits], oracle_diff=diff_of(*edits))
    assert label(one, rules) == name


def test_labels_can_be_kept(rules_with):
    one = change(changed_files=[changed("tests/test_a.py")])
    assert seed_kind(one, rules_with(drop_labels=["docs_only"])) is None
