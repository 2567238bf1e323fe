import gzip
import json

import pytest

from openswerl.compose import load as compose
from openswerl.config import Cell
from openswerl.errors import UserError
from openswerl.ood.suites import SUITES, load
from openswerl.report import paper
from openswerl.stages import OOD_SUITES

ROW = {"question": "Which?", "subject": "law", "choices": ["one", "two"], "answer": 1}


def cfg(**changes):
    found = compose().ood.suites.mmlu.copy()
    for key, value in changes.items():
        found[key] = value
    return found


def test_rows_come_from_files_of_every_kind(tmp_path):
    rows = [{**ROW, "question": f"{k}?"} for k in range(3)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "r.json").write_text(json.dumps(rows))
    (tmp_path / "r.jsonl").write_text(lines)
    (tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    for name in ("r.json", "r.jsonl", "r.jsonl.gz"):
        found = load("mmlu", cfg(rows=str(tmp_path / name)))
        assert [item.id for item in found.items] == ["0", "1", "2"] and not found.bad
    assert len(load("mmlu", cfg(rows=str(tmp_path / "r.json"), instances=2)).items) == 2


def test_a_data_set_of_the_hub_is_read_by_its_subset_and_split(tmp_path, monkeypatch):
    """A folder in the form of the Hub, which `datasets` opens by its name as well."""
    (tmp_path / "owner" / "name" / "all").mkdir(parents=True)
    (tmp_path / "owner" / "name" / "all" / "test.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "owner" / "name" / "README.md").write_text(
        "---\nconfigs:\n- config_name: all\n  data_files:\n  - split: test\n    path: all/test.jsonl\n---\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    assert len(load("mmlu", cfg(rows="owner/name", subset="all")).items) == 1
    with pytest.raises(UserError, match="owner/name cannot be had from the Hub"):
        load("mmlu", cfg(rows="owner/name", subset="other"))


def test_bad_rows_are_set_aside_with_their_reason(tmp_path):
    path = tmp_path / "r.jsonl"
    rows = [{**ROW, "id": "a"}, {**ROW, "answer": 7}, {"question": "?"}, {**ROW, "id": "a"}, 5]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    found = load("mmlu", cfg(rows=str(path)))
    assert [item.id for item in found.items] == ["a"]
    assert [(row["row"], row["code"]) for row in found.bad] == [
        *((1, "ValueError"), (2, "KeyError"), (3, "ValueError"), (4, "TypeError"), (5, "TypeError")),
    ]
    assert {row["suite"] for row in found.bad} == {"mmlu"}


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("chess", {}, "ood.suites.chess is unknown: choose among humaneval, "),
        ("bigcodebench_instruct", {}, "ood.suites.bigcodebench_instruct.rows is not set, and we have none"),
        ("mmlu", {"rows": "absent.jsonl"}, "absent.jsonl is missing; correct ood.suites.mmlu.rows"),
        ("mmlu", {"rows": "name"}, "name is neither a .json"),
    ],
)
def test_a_mistake_is_one_line(name, changes, message):
    with pytest.raises(UserError) as caught:
        load(name, cfg(**changes))
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


def test_a_file_without_a_good_row_is_refused(tmp_path):
    (tmp_path / "r.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match="holds no row in the form of the benchmark: 'choices'"):
        load("mmlu", cfg(rows=str(tmp_path / "r.jsonl")))


def test_the_suites_are_those_of_the_table():
    assert list(SUITES) == list(paper.OOD)
    assert set(compose("ood=paper").ood.suites) == set(SUITES)
    own = {name for name, suite in SUITES.items() if suite.own}
    assert set(compose().ood.suites) == own


def test_rows_that_two_suites_share_are_named_once():
    suites = compose("ood=paper", "ood.suites.math_strict.rows=here.jsonl").ood.suites
    assert suites.math_lenient.rows == "here.jsonl"
    assert {str(suite.rows) for suite in suites.values()} == {str(suites[name].rows) for name in OOD_SUITES}


def test_the_content_of_rows_belongs_to_the_digest(tmp_path):
    params = []
    for text in ("one", "two"):
        path = tmp_path / text / "r.jsonl"  # a digest is remembered by name
        path.parent.mkdir()
        path.write_text(text)
        params.append(json.loads(Cell("ood", (f"ood.suites.mmlu.rows={path}",)).params)["files"])
    assert [*params[0].values()] != [*params[1].values()] and None not in params[0].values()
