"""The graph through profiles/kubernetes, with a program that stands for kubectl and its cluster."""

import json

import pytest

from kubectl import stand_in

JOBS = {"laptop": "2000M", "archive": "2000M", "crawl": "4000M", "curate": "4000M", "relate": "4000M"}


@pytest.mark.slow
def test_each_job_of_the_graph_is_a_job_of_the_cluster(project, tmp_path, monkeypatch):
    pytest.importorskip("snakemake_executor_plugin_cluster_generic", reason="needs the extra kubernetes")
    cluster = tmp_path / "cluster"
    stand_in(cluster, monkeypatch)
    options = ("--profile", "profiles/kubernetes", "--max-threads", "2", "--seconds-between-status-checks", "1")
    done = project.snakemake("relate", *options, "--config", "scale=smoke")
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.stem.rpartition("-")[0]: json.loads(path.read_text()) for path in cluster.glob("*.json")}
    assert made.keys() == {f"openswerl-{name}" for name in JOBS}
    for name, memory in JOBS.items():
        container = made[f"openswerl-{name}"]["spec"]["template"]["spec"]["containers"][0]
        assert container["resources"]["limits"]["memory"] == memory
    assert (project.path / "results" / "smoke" / "data" / "relate" / "result.json").exists()
    assert all(path.read_text() == "0\n" for path in cluster.glob("*.code"))
