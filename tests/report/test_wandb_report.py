"""The W&B Report against a stand-in for the server, which building a report asks as well."""

import json

import pytest

from openswerl.config import Cell
from servers import running
from wandb_runs import KEY, SMOKE, finish, script
from wandb_server import Wandb

CURVES = ["reward_mean", "format_rate", "exact_rate", "response_tokens", "kl", "entropy"]


@pytest.fixture
def report(tmp_path):
    """A finished report with its tables."""
    cell = Cell("report", (*SMOKE, f"results={tmp_path / 'results'}"))
    finish(cell)
    (cell.folder / "table2.md").write_text("| Model | Resolved |\n| --- | --- |\n| base | 30 (n=5) |\n")
    return cell


@pytest.fixture
def published(report, tmp_path):
    """How to publish the report in a process of its own, and the server."""
    pytest.importorskip("wandb_workspaces", reason="wandb-workspaces is not installed")
    with running() as http:
        server = Wandb(http)
        yield lambda: script("wandb_report", tmp_path / "home", *report.overrides, url=server.url), server


def blocks(server):
    (view,) = server.views
    return json.loads(view["spec"])["blocks"]


@pytest.mark.slow
def test_a_report_is_saved_once_under_its_title(published, report):
    publish, server = published
    done = publish()
    assert done.returncode == 0, done.stderr
    (view,) = server.views
    assert (view["entityName"], view["projectName"]) == ("me", "open-swe-rl")
    assert view["displayName"] == "Open SWE-RL: smoke" and "smoke" in view["description"]
    assert done.stdout.startswith("wandb_report: http") and view["id"] in done.stdout
    assert publish().returncode == 0
    assert [one["id"] for one in server.views] == [view["id"]]
    assert server.unknown == [] and KEY not in done.stdout + done.stderr


@pytest.mark.slow
def test_it_has_the_tables_the_curves_of_each_reward_and_the_rates(published, report):
    publish, server = published
    assert publish().returncode == 0
    grids = [block for block in blocks(server) if block["type"] == "panel-grid"]
    panels = [
        [panel["config"]["metrics"] for panel in grid["metadata"]["panelBankSectionConfig"]["panels"]] for grid in grids
    ]
    splits = list(report.cfg.report.splits)
    kinds = [(split, kind) for split in splits for kind in ("greedy", "sample")]
    kinds += [(split, "mini") for split, count in report.cfg.evaluate.mini.splits.items() if count]
    rates = [f"{split}/{kind}/resolved_rate" for split, kind in kinds]
    assert panels == [[[name] for name in CURVES], [["loss"], ["eval_loss"]], [[name] for name in rates]]
    assert "base | 30 (n=5)" in json.dumps(blocks(server))
    titles = [block["children"][0]["text"] for block in blocks(server) if block["type"] == "heading"]
    assert titles == ["Table 2", "Rewards compared", "Supervised baselines", "Resolved instances"]  # Mini did not run


@pytest.mark.slow
def test_runs_are_those_of_a_stage_in_this_experiment_by_variant_and_in_all(published):
    publish, server = published
    assert publish().returncode == 0
    (grpo, *_) = [block["metadata"]["runSets"] for block in blocks(server) if block["type"] == "panel-grid"]
    assert [runs["name"] for runs in grpo] == ["smoke", "all experiments"]
    here, everywhere = (json.dumps(runs["filters"]) for runs in grpo)
    assert "grpo" in here and "jobType" in here and "smoke" in here
    assert "grpo" in everywhere and "smoke" not in everywhere
    grouped = [[(key["section"], key["name"]) for key in runs["grouping"]] for runs in grpo]
    reward = ("config", "reward.value.name")  # W&B keeps a key of the config as {"value": ...}
    assert grouped == [[reward], [("run", "group"), reward]]


def test_without_a_login_it_is_one_line(report, tmp_path):
    pytest.importorskip("wandb_workspaces", reason="wandb-workspaces is not installed")
    done = script("wandb_report", tmp_path / "home", *report.overrides)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("wandb_report: error: W&B has no login: ") and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_without_runs_it_says_to_send_them(published):
    publish, server = published
    server.projects.clear()
    done = publish()
    assert (done.returncode, server.views) == (1, [])
    line = "W&B has no project me/open-swe-rl: send the runs first, by python scripts/wandb_sync.py"
    assert done.stderr == f"wandb_report: error: {line}\n"


def test_without_the_package_it_is_one_line(report, tmp_path, monkeypatch):
    from openswerl.errors import UserError
    from openswerl.report import wandb_publish

    monkeypatch.setattr(wandb_publish.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError) as raised:
        wandb_publish.publish(report)
    assert str(raised.value) == "the W&B Report needs wandb-workspaces: pip install 'open-swe-rl[wandb-report]'"


def test_without_the_result_it_says_how_to_make_it(tmp_path):
    pytest.importorskip("wandb_workspaces", reason="wandb-workspaces is not installed")
    results = f"results={tmp_path / 'results'}"
    done = script("wandb_report", tmp_path / "home", *SMOKE, results, url="http://127.0.0.1:9")
    assert done.returncode == 1 and "results/smoke/report is not finished; make it with: snakemake" in done.stderr
