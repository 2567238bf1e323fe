import pytest

from curate.pulls import change, changed
from openswerl.curate.seeds import seed_edits, seed_files, seed_issue
from openswerl.records import Issue


@pytest.mark.parametrize(
    ("issues", "reason"),
    [
        ([], "no_linked_issue"),
        ([Issue("a/b", 1, "", ""), Issue("a/b", 2, " ", "\r\n")], "no_issue_text"),
        ([Issue("a/b", 1, "", ""), Issue("a/b", 2, "", "text")], None),
        ([Issue("a/b", 1, "title", "")], None),
    ],
)
def test_issue(rules, rules_with, issues, reason):
    assert seed_issue(change(issues=issues), rules) == reason
    assert seed_issue(change(issues=issues), rules_with(require_issue=False)) is None


def test_pitfall_19_text_that_tells_the_fix_never_stands_in_for_an_issue(rules):
    """An issue without text leaves the pull request's description alone, which says what was changed."""
    leak = {"title": "Fix the crash", "body": "Replaced x by y in a.py. Fixes #1"}
    assert seed_issue(change(issues=[Issue("acme/widget", 1, "", "")], **leak), rules) == "no_issue_text"
    assert seed_issue(change(issues=[], **leak), rules) == "no_linked_issue"


@pytest.mark.parametrize(
    ("paths", "reason", "papers"),
    [
        (["a.py"], None, None),
        (["a.py", "b.go", "c/d.RS"], None, None),
        (["a.py", "README.md"], "not_code", None),  # the paper: touches programming files
        (["Makefile"], "not_code", "not_code"),
        (["py"], "not_code", "not_code"),
        ([".py"], "not_code", "not_code"),
        ([f"{n}.py" for n in range(6)], "too_many_seed_files", None),
        ([f"{n}.py" for n in range(5)], None, None),
    ],
)
def test_files(rules, paper, paths, reason, papers):
    assert rules.cfg.max_seed_files == 5
    one = change(changed_files=[changed(path) for path in paths])
    assert (seed_files(one, rules), seed_files(one, paper)) == (reason, papers)


def test_the_languages_are_a_choice(rules_with):
    rules = rules_with(code_suffixes=[".py"])
    assert seed_files(change(changed_files=[changed("a.go")]), rules) == "not_code"


def test_new_files_need_an_edited_one_beside_them(rules):
    assert seed_files(change(changed_files=[changed("a.py", "A")]), rules) == "only_new_files"
    assert seed_files(change(changed_files=[changed("a.py", "A"), changed("b.py")]), rules) is None


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (changed("a.py"), None),
        (changed("a.py", "A"), None),
        (changed("a.py", "A", new_mode="100755"), None),
        (changed("a.py", "D"), "removes_a_file"),
        (changed("a.py", "M", new_mode="100755"), "mode_or_type_change"),
        (changed("a.py", "T", new_mode="120000"), "mode_or_type_change"),
        (changed("a.py", "A", new_mode="120000"), "mode_or_type_change"),
        (changed("a.py", "A", new_mode="160000"), "mode_or_type_change"),
        (changed("a.py", outcome="binary"), "not_text"),
    ],
)
def test_edits(rules, file, reason):
    assert seed_edits(change(changed_files=[file]), rules) == reason
