import json
from pathlib import Path

import pytest

from openswerl.costs import Cost, by_stage
from openswerl.errors import UserError


def record(path: Path, cpu: float, wall: float, peak: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cpu_seconds": cpu, "wall_seconds": wall, "peak_megabytes": peak}))


def test_jobs_of_variants_count_for_their_stage(tmp_path: Path) -> None:
    record(tmp_path / "costs/grpo/continuous/seed0.json", 10.5, 5.0, 300)
    record(tmp_path / "costs/variants/kl/grpo/continuous/seed0.json", 20.25, 30.0, 200)
    record(tmp_path / "costs/variants/tidy/data/crawl.json", 1.0, 2.0, 50)
    record(tmp_path / "costs/data/crawl.json", 3.0, 4.0, 70)
    assert by_stage(tmp_path) == {"crawl": Cost(2, 4.0, 6.0, 70), "grpo": Cost(2, 30.75, 35.0, 300)}
    assert list(by_stage(tmp_path)) == ["crawl", "grpo"], "the order of the graph"


def test_without_records_there_is_nothing(tmp_path: Path) -> None:
    assert by_stage(tmp_path) == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"cpu_seconds": 1}'])
def test_a_damaged_record_is_named(tmp_path: Path, text: str) -> None:
    record(tmp_path / "costs/report.json", 1, 1, 1)
    (tmp_path / "costs/report.json").write_text(text)
    with pytest.raises(UserError, match=r"report\.json is no record of costs"):
        by_stage(tmp_path)
