import pytest

from curate.pulls import changed, diff_of, pull
from openswerl.curate.filters import bot, generated, has_token, is_version_bump, size
from openswerl.curate.hunks import parse_hunks


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"author_type": "Bot", "author": "ci"}, "bot_type"),
        ({"author": "pull[bot]"}, "bot_suffix"),
        ({"author": "Snyk-Bot"}, "bot_name"),
        ({"author": "dependabot-preview"}, "bot_keyword"),
        ({"title": "Bump lodash from 4.17.20 to 4.17.21"}, "bot_keyword"),
        ({"body": "Opened by renovate."}, "bot_keyword"),
        ({"body": "on behalf of mergify[bot]"}, "bot_keyword"),
        ({"author": "secretrobotron"}, None),  # a person, seen in the archive
        ({"title": "Bumps and bumpers, renovated"}, None),
        ({"title": "Handle robots", "body": "abottle"}, None),
        ({"author": "pull"}, "bot_name"),
        ({"author": "pulley"}, None),
        ({}, None),
    ],
)
def test_bots(cfg, fields, reason):
    assert bot(pull(**fields), cfg) == reason


@pytest.mark.parametrize(
    ("text", "keyword", "found"),
    [
        ("a bump.", "bump", True),
        ("a Bump", "bump", True),
        ("re-bump", "bump", True),
        ("bump_it", "bump", False),
        ("ébump", "bump", False),
        ("x[bot]y", "[bot]", True),
        ("[robot]", "[bot]", False),
        ("", "bump", False),
    ],
)
def test_whole_tokens(text, keyword, found):
    assert has_token(text, keyword) is found


def test_size(cfg):
    many = [changed(f"{n}.py") for n in range(cfg.max_changed_files + 1)]
    assert size(pull(changed_files=[]), cfg) == "empty_change"
    assert size(pull(changed_files=many), cfg) == "too_many_files"
    assert size(pull(changed_files=many[:-1]), cfg) is None
    assert size(pull(oracle_diff="é" * (cfg.max_diff_bytes // 2 + 1)), cfg) == "diff_too_large"
    assert size(pull(oracle_diff="é" * (cfg.max_diff_bytes // 2)), cfg) is None


LOCK = ("web/yarn.lock", "a@1", "a@2 # new")
BUMP = ("setup.py", 'version="1.2.3"', 'version="1.3.0rc1"')
REAL = ("src/a.py", "x = 1", "x = 2")


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([LOCK], "all_hunks_generated"),
        ([BUMP], "all_hunks_generated"),
        ([LOCK, BUMP, ("a/b/package-lock.json", "1", "x"), ("x.min.js", "a", "b")], "all_hunks_generated"),
        ([LOCK, BUMP, REAL], None),
        ([REAL], None),
        ([], "no_text_change"),
    ],
)
def test_a_pull_request_goes_only_if_every_hunk_is_generated(cfg, edits, reason):
    assert generated(pull(oracle_diff=diff_of(*edits)), cfg) == reason


def test_binary_and_mode_changes_alone_are_no_text_change(cfg):
    diff = "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n"
    mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
    assert generated(pull(oracle_diff=diff + mode), cfg) == "no_text_change"


@pytest.mark.parametrize(
    ("old", "new", "bump"),
    [
        ('version = "1.2.3"', 'version = "1.2.4"', True),
        ("requests==2.0", "requests==2.31.0.post1", True),
        ("timeout = 1", "timeout = 2", False),
        ('version = "1.2.3"', 'release = "1.2.4"', False),
        ("x", "x", False),
    ],
)
def test_version_bumps(old, new, bump):
    [hunk] = parse_hunks(diff_of(("f", old, new)))
    assert is_version_bump(hunk) is bump
