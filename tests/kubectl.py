"""A program that stands for kubectl and its cluster: each pod is a process, which shares nothing but the files."""

import os
import sys
from pathlib import Path

import pytest

KUBECTL = (
    f"#!{sys.executable}\n"
    + r"""
import json, os, pathlib, subprocess, sys
home = pathlib.Path(os.environ["FAKE_CLUSTER"])
words = sys.argv[1:]
if words[0] == "create":
    job = json.load(sys.stdin)
    assert (job["kind"], words[1:]) == ("Job", ["-f", "-", "-o", "name"])
    name = job["metadata"]["generateName"] + str(len(list(home.glob("*.json"))))
    (home / (name + ".json")).write_text(json.dumps(job))
    container = job["spec"]["template"]["spec"]["containers"][0]
    bare = {key: os.environ[key] for key in ("PATH", "HOME", "OPENSWERL_CONF", "OMP_NUM_THREADS") if key in os.environ}
    run = 'PLACE=$1; shift; "$@" > "$PLACE.log" 2>&1; echo $? > "$PLACE.new"; mv "$PLACE.new" "$PLACE.code"'
    subprocess.Popen(["sh", "-c", run, "sh", str(home / name), *container["command"]], env=bare, cwd="/",
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     start_new_session=True)
    print("job.batch/" + name)
elif words[:2] == ["get", "job"]:
    if (home / (words[2] + ".json")).exists():
        ended = home / (words[2] + ".code")
        kind = ended.exists() and ("Complete" if int(ended.read_text()) == 0 else "Failed")
        print(json.dumps({"status": {"conditions": [{"type": kind, "status": "True"}] if kind else []}}))
elif words[:2] == ["get", "pods"]:
    print(json.dumps({"items": [{"status": {"containerStatuses": [{"state": {"terminated": {"reason": "Error"}}}]}}]}))
else:
    sys.exit("error: unknown command")
"""
)


def stand_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it on PATH; its jobs are `home/<name>.json`, and their exit codes `<name>.code`."""
    home.mkdir()
    (home / "kubectl").write_text(KUBECTL)
    (home / "kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_CLUSTER", str(home))
