"""Work functions for cells of tests; they are imported by the stage's process."""

import os
import signal
from typing import Any

from matplotlib.figure import Figure

from openswerl.files import read_jsonl, write_jsonl
from openswerl.stage import Job
from openswerl.tracking.journal import Journal, Tracker
from openswerl.tracking.replay import replay
from wandb_runs import METRICS

SPREAD = {"low": -1.0, "high": 1.0, "counts": [1, 0, 2, 1]}
SAMPLES = [{"step": 1, "reward": None, "output": "x"}, {"step": 1, "reward": 0.5, "output": "y"}]
STEPS = 5
JOURNALS = ((Tracker, "metrics.jsonl"), (Journal, "alarms.jsonl"))


def summarise(job: Job) -> dict[str, Any]:
    """Leave metrics and a table, and tell the mirror nothing."""
    write_jsonl(job.out / "metrics.jsonl", METRICS)
    write_jsonl(job.out / "outcomes.jsonl", [{"instance_id": "a", "resolved": True}])
    return {"rows": 2, "left_out": {"too_long": 1}, "none": None, "names": ["a"]}


def train(job: Job) -> dict[str, Any]:
    """Train for STEPS steps, telling the mirror of each; die in the middle if the folder says so."""
    write_jsonl(job.scratch / "samples.jsonl", SAMPLES)
    plot = job.scratch / "plots" / "rewards-000002.png"
    plot.parent.mkdir(exist_ok=True)
    Figure().savefig(plot)
    done = len(read_jsonl(job.scratch / "metrics.jsonl"))
    tracker, alarms = (cls(job.scratch / name, from_step=done) for cls, name in JOURNALS)
    replay(job.scratch, job.mirror)
    for step in range(done, STEPS):
        tracker.log(step, {"loss": 1 / (1 + step), "spread": SPREAD})
        job.mirror.log(tracker.rows[-1])
        if step == 1:
            job.mirror.picture(step, "rewards", plot)
            job.mirror.table(step, "samples", SAMPLES)
        alarms.add([{"step": step, "alarm": "kl", "message": f"far at {step}"}])
        job.mirror.alert(step, "kl", f"far at {step}")
        if step == 2 and (job.out / "die").exists():
            (job.out / "die").unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    write_jsonl(job.out / "metrics.jsonl", tracker.rows)
    return {"steps": STEPS}
