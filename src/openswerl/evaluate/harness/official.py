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


class OfficialRun:
    """`folder`/logs/run_evaluation/<run id>/<model>/<instance>/ and `folder`/<model>.<run id>.json.

    The run id is a hash of predictions and rows, so that no verdict is ever taken for that of another patch.
    """

    def __init__(self, folder: Path, model: str, golds: Sequence[GoldView], patches: Sequence[str]) -> None:
        self.folder, self.model, self.golds = folder, model, golds
        self.predictions = [
            {"instance_id": gold.instance_id, "model_name_or_path": model, "model_patch": patch}
            for gold, patch in zip(golds, patches, strict=True)
        ]
        identity = json.dumps([self.predictions, [gold.digest for gold in golds]])
        self.run_id = hashlib.sha256(identity.encode()).hexdigest()[:12]
        shutil.rmtree(folder, ignore_errors=True)

    def log(self, instance_id: str) -> Path:
        """Return where the instance's test output belongs."""
        model = self.model.replace("/", "__")
        return self.folder / "logs/run_evaluation" / self.run_id / model / instance_id / "test_output.txt"

    def record(self, instance_id: str, patch: str, execution: Execution | None, verdict: Verdict) -> None:
        """Write the instance's patch, and its report if it has one; without a report the harness counts an error."""
        place = self.log(instance_id)
        write_text(place.with_name("patch.diff"), patch)
        if verdict.report is not None:
            write_json(place.with_name("report.json"), verdict.report)
        elif execution is not None:
            write_text(place.with_name("run_instance.log"), f"{execution.state}\n{execution.output}\n")

    def finish(self, predictions: Path) -> dict[str, Any]:
        """Write the predictions and the final report; returns the report."""
        write_jsonl(predictions, self.predictions)
        from swebench.harness.reporting import make_run_report

        by_id = {row["instance_id"]: row for row in self.predictions}
        self.folder.mkdir(parents=True, exist_ok=True)
        # the harness resolves its logs against the working folder alone
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(io.StringIO()):
            path = make_run_report(by_id, [gold.row for gold in self.golds], self.run_id)
            report: dict[str, Any] = json.loads(path.read_text())
        return report
