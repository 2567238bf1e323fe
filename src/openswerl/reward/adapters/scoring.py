"""What the adapters share: an instance as plain data, and its scoring by the rules of our own training."""

from collections.abc import Mapping, Sequence
from typing import Any

from openswerl.records import Instance
from openswerl.reward.outcome import Score
from openswerl.reward.pool import score

# As conf/ has them: the rules of edits=strict, and no answer may stall a step.
DEFAULTS: dict[str, Any] = {"compat": "strict", "time_limit_s": 10.0}

Files = Sequence[Mapping[str, str]]


def files_of(instance: Instance) -> dict[str, list[dict[str, str]]]:
    """Return the instance's files as lists of {path, content}.

    Lists, because tables with a dict for a column give every row the paths of all others.
    """
    sides = {
        "changed_files": instance.changed_files,
        "related_unchanged_files": instance.related_unchanged_files,
        "oracle_new_content": instance.oracle_new_content,
    }
    return {side: [{"path": file.path, "content": file.content} for file in files] for side, files in sides.items()}


def score_files(changed: Files, related: Files, oracle: Files, output: str, settings: Mapping[str, Any]) -> Score:
    """Score an output for files as `files_of` gives them; `settings` are keywords of `score`, over DEFAULTS.

    `time_limit_s` is in seconds; an answer that takes longer has the reward None. Raises UserError as `score` does.
    """
    return score(_texts([*changed, *related]), _texts(oracle), output, **{**DEFAULTS, **settings})


def _texts(files: Files) -> dict[str, str]:
    return {file["path"]: file["content"] for file in files}
