"""What no model should learn from: bots, empty and huge changes, and changes that a tool made (appendix A).

Each filter takes one pull request and says why it is dropped, or None.
"""

import re
from fnmatch import fnmatch

from omegaconf import DictConfig

from openswerl.curate.hunks import Hunk, parse_hunks
from openswerl.records import PullRequest

VERSION = re.compile(r"\d+(?:\.\d+)+(?:[-.+]?\w+)*")


def bot(pull: PullRequest, cfg: DictConfig) -> str | None:
    """Account type Bot, a name ending in [bot], a listed name, or a keyword as a whole token in title, body or name."""
    if pull.author_type == "Bot":
        return "bot_type"
    author = pull.author.lower()
    if author.endswith("[bot]"):
        return "bot_suffix"
    if author in [name.lower() for name in cfg.bot_names]:
        return "bot_name"
    text = f"{pull.author}\n{pull.title}\n{pull.body}"
    return "bot_keyword" if any(has_token(text, keyword) for keyword in cfg.bot_keywords) else None


def has_token(text: str, keyword: str) -> bool:
    """Whether a keyword stands in a text as a whole token: "bump" is not in "bumps", nor "bot" in "robot"."""
    before = r"(?<!\w)" if keyword[:1].isalnum() else ""
    after = r"(?!\w)" if keyword[-1:].isalnum() else ""
    return re.search(before + re.escape(keyword) + after, text, re.IGNORECASE) is not None


def size(pull: PullRequest, cfg: DictConfig) -> str | None:
    """Changes without text, and extremely large ones."""
    if not pull.changed_files:
        return "empty_change"
    if len(pull.changed_files) > cfg.max_changed_files:
        return "too_many_files"
    return "diff_too_large" if len(pull.oracle_diff.encode()) > cfg.max_diff_bytes else None


def generated(pull: PullRequest, cfg: DictConfig) -> str | None:
    """Pull requests of which every hunk is a tool's work; one hunk of another kind keeps the whole."""
    hunks = parse_hunks(pull.oracle_diff)
    if not hunks:
        return "no_text_change"
    return "all_hunks_generated" if all(is_generated(hunk, cfg) for hunk in hunks) else None


def is_generated(hunk: Hunk, cfg: DictConfig) -> bool:
    """Whether a hunk is in a listed file (lock files), or only exchanges version numbers."""
    name = hunk.path.rpartition("/")[2]
    return any(fnmatch(name, pattern) for pattern in cfg.generated_files) or is_version_bump(hunk)


def is_version_bump(hunk: Hunk) -> bool:
    """Whether old and new lines differ in version numbers alone."""
    old, new = ([VERSION.sub("VERSION", line) for line in hunk.changed(sign)] for sign in "-+")
    return old == new and any("VERSION" in line for line in old)
