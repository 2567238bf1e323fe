"""The script that kills the workflow at random moments: a few kills of it, and that it sees what differs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fault_injection import contents, differences

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "dev" / "fault_injection.py"


def leave(folder: Path, name: str, text: str) -> None:
    path = folder / "results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_difference_is_seen_and_clocks_are_not(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, word in ((one, "a"), (other, "b")):
        for name in ("smoke/logs/x.log", "smoke/costs/x.json", "smoke/grpo/continuous/seed0/timings.jsonl"):
            leave(folder, name, word)
        leave(folder, "smoke/evaluate/base/seed0/wandb/run.wandb", word)
        leave(folder, "smoke/evaluate/base/seed0/result.json", json.dumps({"executed": word, "rate": 1}))
        leave(folder, "smoke/report/provenance.json", word)
        leave(folder, "smoke/report/files.json", json.dumps({"report.html": word, "table2.csv": "1"}))
        leave(folder, "report.html", f'<p>30</p><section id="provenance">\n{word}\n</section>')
    assert differences(contents(one), contents(other)) == []
    leave(other, "smoke/evaluate/base/seed0/result.json", json.dumps({"executed": 1, "rate": 2}))
    leave(other, "smoke/laptop/work-abc/half", "left over")
    leave(one, "smoke/report/table2.csv", "x")
    leave(other, "smoke/report/files.json", json.dumps({"report.html": "b", "table2.csv": "2"}))
    leave(other, "report.html", '<p>31</p><section id="provenance"></section>')
    assert differences(contents(one), contents(other)) == [
        "report.html",
        "smoke/evaluate/base/seed0/result.json",
        "smoke/laptop/work-abc/half",
        "smoke/report/files.json",
        "smoke/report/table2.csv",
    ]


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_three_kills_change_nothing(tmp_path: Path) -> None:
    small = ("grid.baselines=[base]", "grid.reward=[continuous]", "grid.ood=[]")
    command = [sys.executable, str(SCRIPT), "--kills", "3", "--seed", "1", "--folder", str(tmp_path / "faults"), *small]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["kills"], told["files_different"]) == (3, 0)
    assert told["starts"] >= 4 and told["files_compared"] > 100
