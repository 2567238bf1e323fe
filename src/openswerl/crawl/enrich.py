"""Ask GitHub what events since October 2025 do not say: whether a pull request was merged, its text and counts."""

import os
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from omegaconf import DictConfig

from openswerl.archive.columns import EVENTS
from openswerl.crawl.github.answers import Answers
from openswerl.crawl.github.graphql import BATCH, ask
from openswerl.crawl.github.rest import ask_one
from openswerl.crawl.github.state import Answer, Candidate, event_row
from openswerl.errors import UserError
from openswerl.files import replacing, write_jsonl
from openswerl.parquet import COMPRESSION, ROW_GROUP
from openswerl.progress import Progress
from openswerl.web import GaveUp, Web


class Enriched(NamedTuple):
    """`path` holds rows like an hour's; `counts`: wanted, asked, found, merged, not_merged, gone, failed, and more."""

    path: Path
    counts: dict[str, int]


def enrich(wanted: Iterable[Candidate], folder: Path, network: DictConfig) -> Enriched:
    """Write enriched.parquet and gone.jsonl into `folder`, which keeps every answer for the next run.

    Without a token in the variable named by `network.token_variable` nothing is asked, and the answers of earlier runs
    are used. Raises UserError if GitHub refuses the token, or its rate limit outlasts all attempts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, cache, token = folder / "enriched.parquet", folder / "answers.sqlite", _token(network.token_variable)
    try:
        with Answers(cache, wanted) as answers:
            if token:
                _ask_all(answers, network, token)
            total, left = answers.counts()
            counts = _write(path, folder / "gone.jsonl", answers)
    except (sqlite3.DatabaseError, msgspec.MsgspecError) as error:
        raise UserError(f"{cache} cannot be read: {error}; delete it and run again") from None
    if left and not token:
        print(
            f"crawl: no token in ${network.token_variable}: {left} pull requests are not asked about", file=sys.stderr
        )
    asked = {"wanted": total, "asked": total if token else total - left}
    return Enriched(path, asked | counts | {"failed": left if token else 0, "skipped_no_token": 0 if token else left})


def _token(variable: str) -> str:
    """Return the token. Raises UserError if it cannot be one: httpx would print it in its own error."""
    token = os.environ.get(variable, "").strip()
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise UserError(f"the value of ${variable} is no token: it holds a space or a letter that no token has")
    return token


def _ask_all(answers: Answers, network: DictConfig, token: str) -> None:
    """Ask in batches, one after the other, as GitHub wants it."""
    progress = Progress("crawl: pull requests asked of GitHub", answers.counts()[1])
    with Web(network, network.api_url, {"Authorization": f"Bearer {token}"}) as web:
        for batch in answers.unanswered(BATCH):
            answers.put(batch, _by_graphql(web, batch))
            progress.step(len(batch))
        for (candidate,) in answers.unanswered(1):
            answers.put([candidate], [_by_rest(web, candidate)])


def _by_graphql(web: Web, batch: Sequence[Candidate]) -> Sequence[Answer | None]:
    try:
        return ask(web, batch)
    except GaveUp as error:
        _note(error)
        return [None] * len(batch)


def _by_rest(web: Web, candidate: Candidate) -> Answer | None:
    try:
        return ask_one(web, candidate)
    except GaveUp as error:
        _note(error)
        return None


def _note(error: GaveUp) -> None:
    """Warn of a question without an answer. Raises UserError for a rate limit: asking on would make it worse."""
    if error.limited:
        raise UserError(f"GitHub: {error}; the answers so far are kept, run again in an hour")
    print(f"crawl: warning: {error}", file=sys.stderr)


def _write(path: Path, gone_path: Path, answers: Answers) -> dict[str, int]:
    counts = dict.fromkeys(("found", "merged", "not_merged", "gone", "emails", "secrets"), 0)
    gone, rows = [], []
    with replacing(path) as temporary, pq.ParquetWriter(temporary, EVENTS, **COMPRESSION) as writer:
        for candidate, answer in answers:
            counts["emails"] += answer.emails
            counts["secrets"] += answer.secrets
            if answer.state is None:
                gone.append({"repo": candidate.repo, "number": candidate.number, "reason": answer.reason})
                continue
            counts["merged" if answer.state.merged else "not_merged"] += 1
            rows.append(event_row(candidate, answer.state, counts["found"]))
            counts["found"] += 1
            if len(rows) == ROW_GROUP:
                _flush(writer, rows)
        if rows:
            _flush(writer, rows)
    write_jsonl(gone_path, gone)
    return counts | {"gone": len(gone)}


def _flush(writer: pq.ParquetWriter, rows: list[dict[str, Any]]) -> None:
    writer.write_table(pa.Table.from_pylist(rows, EVENTS), ROW_GROUP)
    rows.clear()
