"""The graph's jobs as Kubernetes Jobs: against the forms of its API, and with a program that stands for kubectl."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl import stand_in
from openswerl.cluster.kubernetes import kubectl, manifest, status, submit, verdict
from openswerl.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
WHOLE = yaml.safe_load((ROOT / "profiles" / "kubernetes" / "job.yaml").read_text())
NEEDS = {"mem_mb": 64000, "runtime": 90, "tmpdir": "<TBD>"}
FAILED = [{"type": "FailureTarget", "status": "True"}, {"type": "Failed", "status": "True", "reason": "X"}]


TEXT = "cd /project && python -m snakemake it's\n"


def asked(**needs: Any) -> dict[str, Any]:
    return {"type": "single", "rule": "grpo_variant", "threads": 8, "resources": {**NEEDS, **needs}}


def test_a_job_asks_for_what_its_rule_asks_for():
    job = manifest(WHOLE, asked(gpu=8), TEXT)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["command"] == ["/bin/sh", "-c", TEXT]
    expected = {"cpu": 8, "memory": "64000M", "nvidia.com/gpu": 8}
    assert container["resources"] == {"limits": expected, "requests": expected}
    assert (job["spec"]["activeDeadlineSeconds"], job["spec"]["backoffLimit"]) == (5400, 0)
    assert job["metadata"] == {"generateName": "openswerl-grpo-variant-"}  # a name of DNS has no underscore
    assert container["image"] == WHOLE["spec"]["template"]["spec"]["containers"][0]["image"]
    assert "command" not in json.dumps(WHOLE)


def test_a_job_without_gpus_asks_for_none():
    limits = manifest(WHOLE, asked(), TEXT)["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits.keys() == {"cpu", "memory"}


@pytest.mark.parametrize(
    ("whole", "properties", "message"),
    [
        (WHOLE, asked(mpi="srun", nodes=2), "grpo_variant wants nodes=2: several nodes"),
        (None, asked(), "the manifest has no spec.template"),
        ({"kind": "Job"}, asked(), "the manifest has no spec.template.spec.containers"),
        ({"spec": {"template": {"spec": {"containers": []}}}}, asked(), "the manifest has no spec.template"),
    ],
)
def test_what_cannot_be_a_job_is_refused(whole, properties, message):
    with pytest.raises(UserError, match=f"^{message}"):
        manifest(whole, properties, TEXT)


def pod(reason: str | None = None, of_pod: str | None = None) -> dict[str, Any]:
    state = {"terminated": {"exitCode": 137, "reason": reason}} if reason else {"running": {}}
    return {"status": {"containerStatuses": [{"state": state}], **({"reason": of_pod} if of_pod else {})}}


@pytest.mark.parametrize(
    ("conditions", "pods", "expected"),
    [
        (None, [], ("running", "")),
        ([{"type": "Suspended", "status": "True"}], [pod()], ("running", "")),
        ([{"type": "Failed", "status": "False"}], [pod()], ("running", "")),
        ([{"type": "FailureTarget", "status": "True", "reason": "X"}], [pod("Error")], ("running", "")),
        ([{"type": "Complete", "status": "True"}], [pod("Completed")], ("success", "")),
        (FAILED, [pod("OOMKilled")], ("failed", "OOMKilled")),
        (FAILED, [pod("Error")], ("failed", "Error")),
        (FAILED, [pod("Error", "Evicted")], ("failed", "Evicted")),
        ([{**FAILED[1], "reason": "DeadlineExceeded"}], [pod("Error")], ("failed", "DeadlineExceeded")),
        ([{"type": "Failed", "status": "True"}], [], ("failed", "unknown")),
    ],
)
def test_what_became_of_a_job(conditions, pods, expected):
    """The conditions of batch/v1 JobStatus, and the states of core/v1 ContainerStatus and PodStatus."""
    job = {"status": {"conditions": conditions} if conditions is not None else {}}
    assert verdict(job, pods) == expected


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    stand_in(tmp_path / "cluster", monkeypatch)
    return tmp_path / "cluster"


def test_a_job_that_is_gone_has_failed(cluster, capsys):
    assert status("openswerl-grpo-0") == "failed"
    assert capsys.readouterr().err == "kubernetes: openswerl-grpo-0 is gone\n"


def test_a_cluster_that_does_not_answer_ends_no_workflow(cluster, capsys):
    (cluster / "kubectl").write_text("#!/bin/sh\necho 'Unable to connect to the server: timeout' >&2\nexit 1\n")
    assert status("openswerl-grpo-0") == "running"
    assert "openswerl-grpo-0: kubectl get: Unable to connect to the server: timeout; asked" in capsys.readouterr().err


def test_kubectl_speaks_for_itself(cluster):
    with pytest.raises(UserError, match=r"^kubectl delete: error: unknown command$"):
        kubectl("delete")


def test_a_job_that_failed_says_why(cluster, tmp_path, capsys):
    (tmp_path / "job.sh").write_text(f"#!/bin/sh\n# properties = {json.dumps(asked())}\nexit 3\n")
    name = submit(str(ROOT / "profiles" / "kubernetes" / "job.yaml"), str(tmp_path / "job.sh"))
    while (word := status(name)) == "running":
        pass
    assert (word, capsys.readouterr().err) == ("failed", f"kubernetes: {name} failed: Error\n")
