"""Programs that stand for container engines: real ones on PATH that behave as their command lines do."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from openswerl.evaluate.execution.actions import Script
from openswerl.evaluate.views import Problem, problem_of

IMAGE = "swebench/sweb.eval.x86_64.pytest-dev_1776_pytest-1:latest"
PATCH = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b"  # noqa: E501
PRINTS = Script("import os, calc\nprint(calc.add(2, 2), os.path.exists('calc.py'))\nraise SystemExit(3)\n")
GRADES = "cd /testbed\n: '>>>>> Start Test Output'\npython -c 'import calc; print(calc.add(2, 2))'\n: '>>>>> End Test Output'\n"  # noqa: E501

HEAD = (
    f"#!{sys.executable}\n"
    + r"""
import json, os, shutil, subprocess, sys, time
home = os.environ["FAKE_ENGINE"]
told = json.load(open(home + "/told.json"))
words = sys.argv[1:]
with open(home + "/calls.jsonl", "a") as calls:
    calls.write(json.dumps([os.path.basename(sys.argv[0]), os.environ.get("DOCKER_HOST"), *words]) + "\n")
"""
)

DOCKER = (
    HEAD
    + r"""

def fail(text, code=1):
    print(text, file=sys.stderr)
    sys.exit(code)

def save():
    json.dump(told, open(home + "/told.json", "w"))

image = words[-1]
if words[0] == "info":
    print(told["root"]) if told["root"] else fail("Cannot connect to the Docker daemon at unix:///x. Is it running?")
elif words[:2] == ["image", "inspect"]:
    if image not in told["here"]:
        fail("Error response from daemon: No such image: " + image)
    print("sha256:0123" if "--format" in words else "[]")
elif words[:2] == ["image", "rm"]:
    told["here"].remove(image)
    save()
elif words[:2] == ["manifest", "inspect"] or words[0] == "pull":
    if image in told["errors"]:
        fail(told["errors"][image])
    if image not in told["registry"]:
        fail("no such manifest: docker.io/" + image)
    if words[0] == "pull":
        told["here"].append(image)
        save()
    else:
        print(json.dumps({"layers": [{"size": size} for size in told["registry"][image]]}))
elif words[0] == "run":
    name, image = words[words.index("--name") + 1], words[words.index("/bin/bash") - 1]
    if image not in told["here"]:
        fail("docker: Error response from daemon: broken.", 125)
    script = sys.stdin.read()
    for name in ("patch.diff", "eval.sh"):
        script = script.replace("/tmp/" + name, home + "/" + name)
    script = script.replace("/testbed", home + "/testbed").replace("/opt/miniconda3", home)
    done = subprocess.run(["bash", "-s"], input=script, text=True, cwd=home)
    sys.exit(done.returncode)
elif words[0] != "kill":
    fail("unknown command " + words[0])
"""
)

APPTAINER = (
    HEAD
    + r"""
if words[0] == "pull":
    image = words[-1].removeprefix("docker://")
    if image not in told["registry"]:
        print("FATAL:   While making image from oci registry: unauthorized", file=sys.stderr)
        sys.exit(255)
    open(words[-2], "w").close()
    sys.exit(0)
bound = dict(reversed(words[i + 1].split(":")) for i, word in enumerate(words) if word == "--bind")
if "cp" in words:
    subprocess.run(["cp", "-a", home + "/testbed/.", bound["/copy"]], check=True)
    sys.exit(0)
script = sys.stdin.read().replace("/tmp/patch.diff", bound["/tmp"] + "/patch.diff")
script = script.replace("/testbed", bound["/testbed"]).replace("/opt/miniconda3", home)
sys.exit(subprocess.run(["bash", "-s"], input=script, text=True, cwd=bound["/testbed"]).returncode)
"""
)


class Fake:
    """An engine whose state is a file, and a tree with git for what its images have at /testbed."""

    def __init__(self, home: Path, program: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        for name in ("bin", "testbed"):
            (home / name).mkdir(parents=True)
        path = home / "bin" / program
        path.write_text(text)
        path.chmod(0o755)
        (home / "bin" / "activate").write_text('conda() { echo "conda $*" >>"$FAKE_ENGINE/conda"; }\n')
        monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
        monkeypatch.setenv("FAKE_ENGINE", str(home))
        self.tell()

    def tell(self, here: tuple[str, ...] = (), registry: dict[str, list[int]] | None = None, **more: Any) -> None:
        """Set what is here, what the registry has (layer sizes), its errors, and the folder of images."""
        told = {"here": here, "registry": registry or {}, "errors": {}, "root": str(self.home), **more}
        (self.home / "told.json").write_text(json.dumps(told))

    def here(self) -> list[str]:
        """Return the images that are here."""
        return json.loads((self.home / "told.json").read_text())["here"]

    def calls(self) -> list[list[str]]:
        """Return program, DOCKER_HOST (for docker's kind) and words of every call."""
        path = self.home / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def problem(name: str = "pytest-dev__pytest-1", image: str = IMAGE) -> Problem:
    """Return an instance whose tree `fill` makes."""
    return problem_of(
        {
            "instance_id": name, "repo": "pytest-dev/pytest", "base_commit": "0" * 40, "version": "7.0", "image": image,
            "problem_statement": "", "split": "verified", "patch": PATCH, "test_patch": "", "eval_script": GRADES,
            "eval_type": "pass_and_fail", "log_parser": "parse_log_pytest", "FAIL_TO_PASS": ["a"], "PASS_TO_PASS": [],
        }
    )  # fmt: skip


def fill(tree: Path) -> None:
    """Make a repository of one commit with a bug and a test."""
    (tree / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (tree / "test_calc.py").write_text("import calc\n\ndef test_add():\n    assert calc.add(2, 2) == 4\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@e", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(tree), *words], check=True)
