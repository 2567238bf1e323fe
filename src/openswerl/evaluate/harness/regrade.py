"""Grade other people's logs again, by our rows, the replay backend and swebench's grading, against their verdicts."""

import json
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from openswerl.errors import UserError
from openswerl.evaluate.backends.replay import ReplayBackend
from openswerl.evaluate.execution.actions import Grading
from openswerl.evaluate.harness.grade import Verdict, grade
from openswerl.evaluate.harness.rows import TEXTS, normalise
from openswerl.evaluate.views import problem_of
from openswerl.files import write_json, write_jsonl
from openswerl.raw_rows import read_lines

TEXT_FIELDS = ("instance_id", "repo", "version", "model_patch", "eval_log")


class Judged(NamedTuple):
    """One log: what was published of it, and what comes of it here."""

    instance_id: str
    published_resolved: bool
    verdict: Verdict


def regrade(logs: Path, out: Path) -> dict[str, Any]:
    """Grade every log of a JSON Lines file (.gz or not) and write `out`/regraded.jsonl and `out`/result.json.

    A record has instance_id, repo, version, model_patch, eval_log, published_resolved, FAIL_TO_PASS and PASS_TO_PASS.
    Returns the result: {logs, agree, differ, ids_differ, bad}, where `bad` counts records without these, which are not
    among the logs. Raises UserError if no record is left.
    """
    records = list(_records(logs))
    judged = [judged for judged in records if judged is not None]
    if not judged:
        raise UserError(f"{logs} has no log that can be graded: {len(records)} records, none whole; see harness/README")
    differ = [one for one in judged if (one.verdict.status == "resolved") != one.published_resolved]
    result = {
        "logs": len(judged),
        "agree": len(judged) - len(differ),
        "differ": len(differ),
        "ids_differ": sorted(one.instance_id for one in differ),
        "bad": len(records) - len(judged),
    }
    write_jsonl(out / "regraded.jsonl", map(_line, judged))
    write_json(out / "result.json", result)
    print(f"evaluate regrade: {json.dumps(result)}", flush=True)
    return result


def _records(logs: Path) -> Iterator[Judged | None]:
    """Yield the verdict on each record, None for one that is not whole; one log is in memory at a time."""
    try:
        with tempfile.TemporaryDirectory(prefix="openswerl-regrade-") as scratch:
            for number, record in enumerate(read_lines(logs), 1):
                yield _judge(record, f"{logs} record {number}", Path(scratch, "test_output.txt"))
    except FileNotFoundError:
        raise UserError(f"{logs} is missing; correct evaluate.logs") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UserError(f"{logs} cannot be read ({error}); get the file again") from None


def _judge(record: Any, where: str, log: Path) -> Judged | None:
    if not isinstance(record, dict) or not isinstance(record.get("published_resolved"), bool):
        return None
    if not all(isinstance(record.get(key), str) for key in TEXT_FIELDS):
        return None
    row = normalise({**dict.fromkeys(TEXTS, ""), "base_commit": "unknown", **record}, where)
    if not isinstance(row, dict):
        return None
    problem = problem_of(row)
    backend = ReplayBackend(lambda *_: record["eval_log"])
    execution = backend.run(problem.task, record["model_patch"], Grading(problem.gold))
    verdict = grade(problem.gold, record["model_patch"], execution, log)
    return Judged(record["instance_id"], record["published_resolved"], verdict)


def _line(one: Judged) -> dict[str, Any]:
    return {
        "instance_id": one.instance_id,
        "published_resolved": one.published_resolved,
        "status": one.verdict.status,
        "reason": one.verdict.reason,
    }
