"""The folder layout and the final report of the official SWE-bench harness, for one model and one run."""

import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openswerl.evaluate.execution.outcome import Execution
from openswerl.evaluate.harness.grade import Verdict
from openswerl.evaluate.views import GoldView
from openswerl.files import write_json, write_jsonl, write_text

LOGS = Path("logs/run_evaluation")  # the harness knows no other, and takes it from the working folder
ROWS = "rows.jsonl"


class OfficialRun:
    """`folder`/logs/run_evaluation/<run id>/<model>/<instance>/ and `folder`/<model>.<run id>.json.

    The run id is a hash of predictions and rows, so that no verdict is ever taken for that of another patch. The rows
    are beside the report, so that `swebench` can grade the folder again.
    """

    def __init__(self, folder: Path, model: str, golds: Sequence[GoldView], patches: Sequence[str]) -> None:
        self.folder, self.model, self.golds = folder, model, golds
        self.predictions = [
            prediction(gold.instance_id, model, patch) for gold, patch in zip(golds, patches, strict=True)
        ]
        self.run_id = run_id(self.predictions, golds)
        self.place = folder / LOGS / self.run_id / model_folder(model)
        self._golds = {gold.instance_id: gold for gold in golds}
        shutil.rmtree(folder, ignore_errors=True)

    def log(self, instance_id: str) -> Path:
        """Return where the instance's test output belongs."""
        return self.place / instance_id / "test_output.txt"

    def record(self, instance_id: str, patch: str, execution: Execution | None, verdict: Verdict) -> None:
        """Write patch, script and log of an instance, and its report if it has one; else the harness counts an error.

        An empty patch leaves nothing, as the harness does not run it.
        """
        if not patch:
            return
        place = self.log(instance_id)
        write_text(place.with_name("patch.diff"), _writable(repaired(patch)))
        write_text(place.with_name("eval.sh"), official_script(self._golds[instance_id].row))
        write_text(place.with_name("run_instance.log"), _writable(_story(execution, verdict)))
        if verdict.report is not None:
            write_json(place.with_name("report.json"), verdict.report)

    def finish(self, predictions: Path) -> dict[str, Any]:
        """Write the predictions, the rows and the final report; returns the report."""
        write_jsonl(predictions, self.predictions)
        write_jsonl(self.folder / ROWS, [gold.row for gold in self.golds])
        run = {"dataset": ROWS, "split": "test", "task_repo": None}
        write_json(self.folder / LOGS / self.run_id / "run.json", run)
        return final_report(self.folder, self.predictions, [gold.row for gold in self.golds], self.run_id)


def prediction(instance_id: str, model: str, patch: str) -> dict[str, str]:
    """Return one row of a file of predictions."""
    return {"instance_id": instance_id, "model_name_or_path": model, "model_patch": repaired(patch)}


def repaired(patch: str) -> str:
    """Return a patch with the newline at its end, without which no tool applies it."""
    return patch if not patch or patch.endswith("\n") else patch + "\n"


def model_folder(model: str) -> str:
    """Return how the harness spells a model's name in paths."""
    return model.replace("/", "__")


def run_id(predictions: Sequence[dict[str, str]], golds: Sequence[GoldView]) -> str:
    """Return a hash of predictions and rows: the harness itself looks up verdicts by run, model and instance alone."""
    identity = json.dumps([predictions, [gold.digest for gold in golds]])
    return hashlib.sha256(identity.encode()).hexdigest()[:12]


def official_script(row: dict[str, Any]) -> str:
    """Return the row's script as the harness runs it: with the tests' own exit code after the last marker."""
    from swebench.harness.utils import make_test_spec  # takes two seconds: it imports docker and datasets

    return str(make_test_spec(row).eval_script)


def final_report(
    folder: Path, predictions: Sequence[dict[str, str]], rows: Sequence[dict[str, Any]], name: str
) -> dict[str, Any]:
    """Have swebench write the final report of a folder in its layout; returns it."""
    from swebench.harness.reporting import make_run_report

    by_id = {row["instance_id"]: row for row in predictions}
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        path = make_run_report(by_id, list(rows), name)
        report: dict[str, Any] = json.loads(path.read_text())
    return report


def _writable(text: str) -> str:
    """Return a text that UTF-8 can hold; the file of predictions has it as it was."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _story(execution: Execution | None, verdict: Verdict) -> str:
    """Return the instance's log, in the words by which the harness tells failures apart."""
    if execution is None:
        return f"not run: {verdict.reason}\n"
    heads = {"apply_failed": ">>>>> Patch Apply Failed:", "timeout": "Test timed out."}
    head = heads.get(execution.state, execution.state)
    return f"{head}\n" if verdict.report is not None else f"{head}\n{execution.output}\n"
