"""A job of the graph as a Kubernetes Job, by kubectl: what profiles/kubernetes calls.

python -m openswerl.cluster.kubernetes submit MANIFEST JOBSCRIPT   prints the name of the Job
python -m openswerl.cluster.kubernetes status NAME                 prints success, failed or running
"""

import copy
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from snakemake.utils import read_job_properties

from openswerl.errors import UserError, last_line

ADVICE = {"OOMKilled": "raise its mem_mb", "DeadlineExceeded": "raise its runtime", "Evicted": "run again"}


def manifest(whole: Mapping[str, Any], asked: Mapping[str, Any], script: str) -> dict[str, Any]:
    """Return the user's Job with the name, time and resources of a job of Snakemake, which runs its script.

    `asked` are the job's properties: memory in megabytes (of 10^6 bytes), time in minutes. Raises UserError for a
    manifest without a container, and for a job of several nodes.
    """
    name, needs, job = asked.get("rule") or asked["groupid"], asked["resources"], copy.deepcopy(dict(whole or {}))
    if "mpi" in needs:
        raise UserError(f"{name} wants nodes={needs['nodes']}: several nodes a job are for profiles/slurm")
    try:
        pod = job["spec"]["template"]["spec"]
        container = pod["containers"][0]
    except (LookupError, TypeError):
        raise UserError("the manifest has no spec.template.spec.containers") from None
    # Snakemake tries again itself, and asks for more then.
    job["spec"] |= {"backoffLimit": 0, "activeDeadlineSeconds": 60 * needs["runtime"]}
    job.setdefault("metadata", {})["generateName"] = f"openswerl-{name.replace('_', '-')}-"
    pod["restartPolicy"] = "Never"
    limits = {"cpu": asked["threads"], "memory": f"{needs['mem_mb']}M"}
    limits |= {"nvidia.com/gpu": needs["gpu"]} if needs.get("gpu") else {}
    container |= {"command": ["/bin/sh", "-c", script], "resources": {"limits": limits, "requests": limits}}
    return job


def verdict(job: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return Snakemake's word for a Job as Kubernetes tells of it, and the reason if it failed."""
    ended = [one for one in job.get("status", {}).get("conditions", []) if one["status"] == "True"]
    if any(one["type"] == "Complete" for one in ended):
        return "success", ""
    failed = [one for one in ended if one["type"] == "Failed"]
    if not failed:
        return "running", ""
    return "failed", _reason(pods, failed[0].get("reason"))


def _reason(pods: Sequence[Mapping[str, Any]], of_job: str | None) -> str:
    """Return what says most: of the containers, of the pods, of the Job, and first what there is advice for."""
    states = [pod.get("status", {}) for pod in pods]
    containers = [one.get("state", {}) for state in states for one in state.get("containerStatuses", [])]
    reasons = [one.get("terminated", {}).get("reason") for one in containers]
    told = [reason for reason in (*reasons, *(state.get("reason") for state in states), of_job, "unknown") if reason]
    return next((reason for reason in told if reason in ADVICE), told[0])


def submit(path: str, script: str) -> str:
    """Create a Job and return its name. Raises UserError as `manifest` does, and with kubectl's own words."""
    whole, text = (Path(name).read_text(encoding="utf-8") for name in (path, script))
    job = manifest(yaml.safe_load(whole), read_job_properties(script), text)
    return kubectl("create", "-f", "-", "-o", "name", given=json.dumps(job)).strip().rpartition("/")[2]


def status(name: str) -> str:
    """Return success, failed or running; why a Job failed goes to stderr. A Job that is gone has failed.

    Where kubectl cannot tell, the Job is taken to run: Snakemake asks again, and would end the workflow at an error.
    """
    try:
        found = kubectl("get", "job", name, "--ignore-not-found", "-o", "json")
        pods = kubectl("get", "pods", "-l", f"job-name={name}", "-o", "json")
    except UserError as error:
        print(f"kubernetes: {name}: {error}; asked again", file=sys.stderr)
        return "running"
    if not found.strip():
        print(f"kubernetes: {name} is gone", file=sys.stderr)
        return "failed"
    word, reason = verdict(json.loads(found), json.loads(pods)["items"])
    if word == "failed":
        advice = f"; {ADVICE[reason]} in conf/resources/" if reason in ADVICE else ""
        print(f"kubernetes: {name} failed: {reason}{advice}", file=sys.stderr)
    return word


def kubectl(*arguments: str, given: str | None = None) -> str:
    """Return what kubectl prints. Raises UserError with the last line of its error."""
    try:
        done = subprocess.run(["kubectl", *arguments], input=given, capture_output=True, text=True)
    except FileNotFoundError:
        raise UserError("kubectl is not on PATH") from None
    if done.returncode:
        raise UserError(f"kubectl {arguments[0]}: {last_line(done.stderr)}")
    return done.stdout


if __name__ == "__main__":
    try:
        print(submit(*sys.argv[2:]) if sys.argv[1] == "submit" else status(*sys.argv[2:]))
    except UserError as error:
        raise SystemExit(f"kubernetes: error: {error}") from None
