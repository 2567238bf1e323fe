import pytest
from omegaconf import OmegaConf

from curate.pulls import changed, pull
from openswerl.curate.seeds import expressible, files, issue
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
def test_issue(cfg, issues, reason):
    assert issue(pull(issues=issues), cfg) == reason
    assert issue(pull(issues=issues), OmegaConf.merge(cfg, {"require_issue": False})) is None


@pytest.mark.parametrize(
    ("paths", "reason"),
    [
        (["a.py"], None),
        (["a.py", "b.go", "c/d.rs"], None),
        (["a.py", "README.md"], "not_code"),
        (["Makefile"], "not_code"),
        (["py"], "not_code"),
        ([".py"], "not_code"),
        ([f"{n}.py" for n in range(6)], "too_many_seed_files"),
        ([f"{n}.py" for n in range(5)], None),
    ],
)
def test_files(cfg, paths, reason):
    assert cfg.max_seed_files == 5
    assert files(pull(changed_files=[changed(path) for path in paths]), cfg) == reason


def test_new_files_need_an_edited_one_beside_them(cfg):
    assert files(pull(changed_files=[changed("a.py", "A")]), cfg) == "only_new_files"
    assert files(pull(changed_files=[changed("a.py", "A"), changed("b.py")]), cfg) is None


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
    ],
)
def test_expressible(file, reason):
    text = {blob for blob in (file.old_blob, file.new_blob) if blob}
    assert expressible(pull(changed_files=[file]), text) == reason


@pytest.mark.parametrize("side", ["old_blob", "new_blob"])
def test_both_sides_must_be_text(side):
    file = changed("a.py")
    assert expressible(pull(changed_files=[file]), {getattr(file, side)}) == "not_text"
