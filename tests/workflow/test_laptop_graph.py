"""The whole graph at laptop scale, for real: what the README promises of it must hold."""

import csv
import json

import pytest

from openswerl.compose import load
from openswerl.plan.run import plan


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_training_beats_the_base_beyond_the_intervals(project):
    done = project.snakemake()
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert project.plan() == set()

    with (project.path / "results/laptop/report/table2.csv").open() as file:
        greedy = [row for row in csv.DictReader(file) if row["decoding"] == "greedy"]
    rows = {(row["policy"], row["split"]): row for row in greedy}
    assert float(rows["gold", "gate"]["resolved_rate"]) == float(rows["gold", "templates"]["resolved_rate"]) == 1
    assert float(rows["none", "gate"]["resolved_rate"]) == float(rows["none", "templates"]["resolved_rate"]) == 0
    assert int(rows["base", "gate"]["n"]) >= 128 and int(rows["base", "templates"]["n"]) >= 64
    for policy in ("grpo-continuous", "sft-gold"):
        for rate in ("format", "resolved"):
            trained, base = rows[policy, "gate"], rows["base", "gate"]
            assert float(trained[f"{rate}_low"]) > float(base[f"{rate}_high"]), (policy, rate, rows)

    planned = plan(load()).memory["grpo"].peak / 2**20
    for costs in (project.path / "results/laptop/costs/grpo").glob("*/seed0.json"):
        assert json.loads(costs.read_text())["peak_megabytes"] == pytest.approx(planned, rel=0.25)
