import csv
import io

import pytest

from openswerl.relate import Query
from openswerl.relate.quality import KS, Hits, Quality, measure
from openswerl.relate.ranking import Ranked


def rows(quality: Quality) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["predictor"], row["k"]): row for row in csv.DictReader(io.StringIO(quality.csv()))}


def test_recall_and_precision_are_means_over_instances():
    quality = Quality()
    quality.add([Hits("a/x", "static", (1, 2, 2), 4), Hits("a/x", "static", (0, 1, 2), 2)])
    quality.add([Hits("b/y", "static", (0, 0, 0), 1)])
    found = rows(quality)
    assert KS == (1, 3, 5)
    assert [found["static", k]["recall"] for k in "135"] == ["0.0833", "0.3333", "0.5000"]
    assert [found["static", k]["precision"] for k in "135"] == ["0.3333", "0.3333", "0.2667"]
    assert {(row["n"], row["repositories"]) for row in found.values()} == {("3", "2")}
    assert quality.measured == 3


def test_an_interval_is_over_repositories():
    """Two repositories, one always right, one never: any mean from 0 to 1 is drawn."""
    quality = Quality()
    for repo, hits in (("a/x", 1), ("b/y", 0)):
        quality.add([Hits(repo, "path", (hits, hits, hits), 1)] * 50)
    row = rows(quality)["path", "1"]
    assert (row["recall"], row["recall_low"], row["recall_high"]) == ("0.5000", "0.0000", "1.0000")


def test_one_repository_has_no_interval():
    quality = Quality()
    quality.add([Hits("a/x", "path", (1, 1, 1), 1), Hits("a/x", "path", (0, 0, 0), 1)])
    row = rows(quality)["path", "1"]
    assert (row["recall"], row["recall_low"], row["recall_high"]) == ("0.5000", "", "")


def test_nothing_measured_is_a_table_without_rows():
    assert rows(Quality()) == {} and Quality().measured == 0


def test_every_baseline_is_measured_on_the_same_truth(tree, cfg):
    query = Query("", "", ("pkg/core.py",))
    found = {hit.predictor: hit.hits for hit in measure("a/x", query, tree, cfg, {"pkg/notes.py"}, [])}
    assert set(found) == {"static", "imports", "cochange", "path", "bm25"}
    assert found["cochange"] == (1, 1, 1) and found["imports"] == (0, 0, 0) and found["static"] == (0, 0, 1)


def test_a_models_ranking_is_measured_beside_the_others(tree, cfg):
    from omegaconf import OmegaConf

    model = [Ranked("pkg/notes.py", 1.0, ()), Ranked("pkg/util.py", 0.5, ())]
    asked = OmegaConf.merge(cfg, {"predictor": "llm"})
    found = {
        hit.predictor: hit
        for hit in measure("a/x", Query("", "", ("pkg/core.py",)), tree, asked, {"pkg/notes.py"}, model)
    }
    assert found["llm"] == Hits("a/x", "llm", (1, 1, 1), 1) and "static" in found


@pytest.mark.parametrize("k", KS)
def test_precision_counts_the_places_that_a_short_ranking_leaves_empty(k):
    quality = Quality()
    quality.add([Hits("a/x", "llm", (1, 1, 1), 1)])
    assert float(rows(quality)["llm", str(k)]["precision"]) == pytest.approx(1 / k, abs=1e-4)
