"""Pull requests that a program wrote (appendix A)."""

from openswerl.curate.change import Change
from openswerl.curate.rules import Rules


def bots(change: Change, rules: Rules) -> str | None:
    """Account type, ending or whole of the user name, or a keyword in user name, title or description."""
    pull = change.pull
    if pull.author_type in rules.cfg.bot_types:
        return "bot_type"
    author = pull.author.lower()
    if author.endswith(rules.bot_suffixes):
        return "bot_suffix"
    if author in rules.bot_names:
        return "bot_name"
    texts = (pull.author, pull.title, pull.body)
    return "bot_keyword" if any(map(rules.bot_keywords.found, texts)) else None
