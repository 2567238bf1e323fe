from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.files import write_text
from openswerl.report.rows import Demonstrations, Rollout, read_document, read_funnel, read_lines

LINE = '{"step": 1, "instance_id": "i", "sample": 0, "reward": 1, "output": "a\u2028b\u0085c", "more": 1}\n'


def test_line_separators_in_model_text_do_not_split_a_row(tmp_path: Path) -> None:
    write_text(tmp_path / "rows.jsonl", LINE + LINE)
    assert [row.output for row in read_lines(tmp_path / "rows.jsonl", Rollout)] == ["a\u2028b\u0085c"] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"step": 1', "line 2"),
        (LINE.replace('"reward": 1', '"reward": "high"'), "line 2: Expected `float | null`, got `str` - at `$.reward`"),
        (LINE.replace('"step": 1, ', ""), "missing required field `step`"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    write_text(tmp_path / "rows.jsonl", LINE + text)
    with pytest.raises(UserError, match=r"rows\.jsonl line 2.*remake it with: snakemake") as caught:
        read_lines(tmp_path / "rows.jsonl", Rollout)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"rows\.jsonl cannot be read \(No such file"):
        read_lines(tmp_path / "rows.jsonl", Rollout)
    write_text(tmp_path / "rows.jsonl", "\n")
    with pytest.raises(UserError, match="has no rows"):
        read_lines(tmp_path / "rows.jsonl", Rollout)


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(LINE.encode().replace(b'"i"', b'"\xff"'))
    with pytest.raises(UserError, match="line 1"):
        read_lines(tmp_path / "rows.jsonl", Rollout)


def test_document_of_another_shape_is_refused(tmp_path: Path) -> None:
    write_text(tmp_path / "d.json", '{"sampled": 3, "kept": 2, "rejected": []}')
    with pytest.raises(UserError, match=r"d\.json: Expected `object`"):
        read_document(tmp_path / "d.json", Demonstrations)


def test_funnel(tmp_path: Path) -> None:
    path = tmp_path / "funnel.csv"
    write_text(path, 'step,reason,dropped,left\ncrawl,,0,7\nsize,"too large, really",2,5\n')
    assert [(row.step, row.reason, row.dropped, row.left) for row in read_funnel(path)] == [
        ("crawl", "", 0, 7),
        ("size", "too large, really", 2, 5),
    ]
    write_text(path, "step,reason,dropped,left\nsize,x,many,5\n")
    with pytest.raises(UserError, match="dropped"):
        read_funnel(path)
    write_text(path, "step,reason,dropped,left\n")
    with pytest.raises(UserError, match="no rows"):
        read_funnel(path)
