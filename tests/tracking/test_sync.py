"""Results made offline become runs at the server, each once however often they are sent, and linked."""

import pytest

from openswerl.config import Cell
from openswerl.files import write_jsonl
from openswerl.tracking.sync import in_order
from wandb_runs import KEY, METRICS, SMOKE, finish, own_metrics, script


@pytest.fixture
def report(tmp_path):
    """The report of a small graph, all of it finished."""
    cell = Cell("report", (*SMOKE, f"results={tmp_path / 'results'}"))
    for one in in_order([cell]):
        finish(one, METRICS if one.stage in ("sft", "grpo", "evaluate") else (), made=1)
    return cell


def send(report, tmp_path, url):
    return script("wandb_sync", tmp_path / "home", *report.overrides, url=url)


def counts(server):
    rows = {name: [row["_step"] for row in run["history"]] for name, run in server.runs.items()}
    return rows, len(server.artifacts), sorted(server.uses)


@pytest.mark.slow
def test_a_graph_is_sent_once_however_often(report, tmp_path, wandb_server):
    cells = in_order([report])
    done = send(report, tmp_path, wandb_server.url)
    assert done.returncode == 0, done.stderr
    assert f"wandb_sync: {len(cells)} runs sent, 1 results not there" in done.stdout  # no preflight
    assert wandb_server.runs.keys() == {f"{cell.stage}-{cell.digest}" for cell in cells}
    grpo = next(cell for cell in cells if cell.stage == "grpo")
    run = wandb_server.runs[f"grpo-{grpo.digest}"]
    assert own_metrics(run["summary"]) == {"loss": 0.25, "reasons/missing_tag": 1, "nested/a/b": 3}
    assert [row["_step"] for row in run["history"]] == [0, 1] and run["finished"]
    first = counts(wandb_server)
    assert send(report, tmp_path, wandb_server.url).returncode == 0
    assert counts(wandb_server) == first
    assert own_metrics(run["summary"]) == {"loss": 0.25, "reasons/missing_tag": 1, "nested/a/b": 3}
    assert wandb_server.unknown == []
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.slow
def test_lineage_goes_from_crawl_to_the_report(report, tmp_path, wandb_server):
    assert send(report, tmp_path, wandb_server.url).returncode == 0
    for cell in in_order([report]):
        used = {name for run, name in wandb_server.uses if run == f"{cell.stage}-{cell.digest}"}
        assert used == {f"smoke-{before.name}" for before in cell.before}
        assert (f"{cell.stage}-{cell.digest}", f"smoke-{cell.name}") in wandb_server.makes


@pytest.mark.slow
def test_a_run_that_was_cut_off_gets_the_steps_that_it_lacks(tmp_path, wandb_server):
    cell = Cell("grpo", (*SMOKE, f"results={tmp_path / 'results'}"))
    finish(cell, METRICS[:1])
    send(cell, tmp_path, wandb_server.url)
    write_jsonl(cell.folder / "metrics.jsonl", METRICS)
    done = send(cell, tmp_path, wandb_server.url)
    assert "wandb_sync: 1 runs sent" in done.stdout
    assert [row["_step"] for row in wandb_server.runs[f"grpo-{cell.digest}"]["history"]] == [0, 1]
    assert "loss" in wandb_server.runs[f"grpo-{cell.digest}"]["summary"]


@pytest.mark.slow
def test_results_of_another_config_are_left_out_with_a_line(report, tmp_path, wandb_server):
    relate = Cell("relate", report.overrides)
    finish(Cell("relate", (*report.overrides, "relate.history=7")))
    done = send(report, tmp_path, wandb_server.url)
    assert done.returncode == 0 and f"relate-{relate.digest}" not in wandb_server.runs
    assert f"wandb_sync: left out: {relate.folder}/result.json was made by another config" in done.stderr


def test_each_cell_comes_once_and_after_those_that_it_reads():
    order = in_order([Cell("report", SMOKE)])
    assert len(order) == len(set(order)) > 8
    assert all(order.index(before) < order.index(cell) for cell in order for before in cell.before)


def test_without_a_login_it_is_one_line(report, tmp_path):
    done = send(report, tmp_path, "")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "wandb_sync: error: W&B has no login: run `wandb login`, or set WANDB_API_KEY; "
        "tracking.wandb=offline needs neither\n"
    )


@pytest.mark.slow
def test_without_the_server_it_is_one_line(report, tmp_path):
    url, home = "http://127.0.0.1:9", tmp_path / "home"
    done = script("wandb_sync", home, *report.overrides, url=url, WANDB_INIT_TIMEOUT="2")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("wandb_sync: error: W&B: ")


def test_a_misspelt_key_is_one_line(tmp_path):
    done = script("wandb_sync", tmp_path / "home", "scale=smok")
    assert done.returncode == 1 and done.stderr.startswith("wandb_sync: error: config: ")
    assert done.stderr.count("\n") == 1
