import json

import pyarrow.parquet as pq
import pytest

from archive.hours import Z, comment_event, dumps, modern, pull, pull_event, push_event, read, side, write_hour
from openswerl.archive import hour
from openswerl.archive.columns import EVENTS
from openswerl.archive.hour import finished, make_hour
from openswerl.files import read_jsonl
from openswerl.redact import email_placeholder, redact, secret_placeholder

MAIL, TOKEN = "jane.doe@gmail.com", "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hours").mkdir()
    return tmp_path / "hours"


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_rows_are_those_of_the_reader_in_groups_of_200(tmp_path, folder):
    events = [pull_event(n, labels=[{"name": "a"}]) if n % 2 else comment_event(n) for n in range(1, 502)]
    path = write_hour(tmp_path / "2015-01-01-0.json.gz", *events, push_event(1))
    made = make_hour(path, folder)
    file = pq.ParquetFile(folder / "2015-01-01-0.parquet")
    assert file.schema_arrow.remove_metadata() == EVENTS
    assert file.read().to_pylist() == read(path)[0]
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [200, 200, 101]
    codecs = {file.metadata.row_group(0).column(n).compression for n in range(file.metadata.num_columns)}
    assert codecs == {"ZSTD"}
    assert (made.account.kept, made.account.other_events) == (501, 1)
    assert finished(path, folder) == made


def test_same_input_same_bytes(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", *(pull_event(n) for n in range(1, 300)), b"torn")
    make_hour(path, folder)
    first = bytes_of(folder)
    for name in first:
        (folder / name).unlink()
    make_hour(path, folder)
    assert bytes_of(folder) == first
    assert first.keys() == {"h.parquet", "h.quarantine.jsonl"}


def test_texts_are_redacted_and_counted(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1, title=MAIL, body=f"x {TOKEN} {MAIL}"), comment_event(2))
    made = make_hour(path, folder)
    row = pq.read_table(folder / "h.parquet").to_pylist()[0]
    assert MAIL not in row["title"] + row["body"] and TOKEN not in row["body"]
    assert (made.emails, made.secrets) == (2, 1)


def planted(word):
    """An event with the word in every name, all of GitHub's own fields as they are."""
    repo = side("a")["repo"]
    event = modern(
        "PullRequestReviewCommentEvent",
        {
            "action": "created",
            "pull_request": pull(
                2,
                user={"login": word, "type": "User"},
                labels=[{"name": "bug"}, {"name": f"for {word}"}],
                head=side("a", ref=f"fix/{word}", repo=repo | {"full_name": f"{word}/widget"}),
                base=side("b", ref=word, repo=repo | {"default_branch": word}),
            ),
            "comment": {"id": 8, "body": "x", "user": {"login": word}, "created_at": Z, "path": f"a/{word}/b.py"},
        },
    )
    event["actor"]["login"] = word
    return event


def test_names_are_redacted_and_counted_and_nothing_else_is_changed(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", *map(planted, ("plain", MAIL, TOKEN)), pull_event(4, labels=[]))
    made = make_hour(path, folder)
    rows = pq.read_table(folder / "h.parquet").to_pylist()
    plain = rows[0]
    assert (made.emails, made.secrets) == (9, 9)
    for row, placeholder in zip(rows[1:3], (email_placeholder(MAIL), secret_placeholder(TOKEN)), strict=True):
        names = {key: value for key, value in plain.items() if "plain" in str(value)}
        assert set(names) == {
            *("actor", "author", "labels", "base_ref", "default_branch", "head_ref", "head_repo"),
            *("comment_author", "comment_path"),
        }
        expected = {key: value for key, value in names.items() if key != "labels"}
        expected = {key: value.replace("plain", placeholder) for key, value in expected.items()}
        assert row == plain | expected | {"labels": ["bug", f"for {placeholder}"], "offset": row["offset"]}
    assert (rows[3]["labels"], rows[3]["comment_path"]) == ([], None)


def test_a_token_in_the_name_of_the_repository_is_redacted(tmp_path, folder):
    event = pull_event(1) | {"repo": {"id": 77, "name": f"acme/{TOKEN}"}}
    make_hour(write_hour(tmp_path / "h.json.gz", event, pull_event(2)), folder)
    assert pq.read_table(folder / "h.parquet")["repo"].to_pylist() == [
        f"acme/{secret_placeholder(TOKEN)}",
        "acme/widget",
    ]


def test_shas_and_ids_that_look_like_a_secret_are_kept(tmp_path, folder):
    sha = "AC" + "0f" * 16  # a Twilio account id by its format
    assert redact(sha).secrets == 1
    event = pull_event(1, merge_commit_sha=sha, head={"sha": sha}, base={"sha": sha}) | {"id": sha}
    make_hour(write_hour(tmp_path / "h.json.gz", event), folder)
    [row] = pq.read_table(folder / "h.parquet").to_pylist()
    assert [row[name] for name in ("event_id", "merge_commit_sha", "head_sha", "base_sha")] == [sha] * 4


def test_a_finished_hour_is_not_read_again(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    first = make_hour(path, folder)
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert make_hour(path, folder) == first
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    assert first.account.quarantine == {"not_json": 1}
    assert read_jsonl(folder / "h.quarantine.jsonl")[0]["reason"] == "not_json"


def test_pitfall_07_a_rewritten_file_is_read_again(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    first = make_hour(path, folder)
    write_hour(path, pull_event(2))
    second = make_hour(path, folder)
    assert (first.sha256 != second.sha256, second.account.quarantine) == (True, {})
    assert pq.read_table(folder / "h.parquet")["number"].to_pylist() == [2]
    assert (folder / "h.quarantine.jsonl").read_bytes() == b""


@pytest.mark.parametrize("harm", ["truncate", "version", "no_metadata", "no_quarantine", "no_parquet"])
def test_what_is_not_a_finished_hour_is_made_again(tmp_path, folder, harm, monkeypatch):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1), b"junk")
    parquet, quarantine = folder / "h.parquet", folder / "h.quarantine.jsonl"
    make_hour(path, folder)
    whole = bytes_of(folder)
    if harm == "truncate":
        parquet.write_bytes(parquet.read_bytes()[:-100])
    elif harm == "no_metadata":
        pq.write_table(pq.read_table(parquet), parquet)
    elif harm == "no_quarantine":
        quarantine.unlink()
    elif harm == "no_parquet":
        parquet.unlink()
    else:
        with monkeypatch.context() as patch:
            patch.setattr(hour, "VERSION", 0)
            assert finished(path, folder) is None
            make_hour(path, folder)
            assert bytes_of(folder) != whole
    assert finished(path, folder) is None
    make_hour(path, folder)
    assert bytes_of(folder) == whole


@pytest.mark.parametrize("harm", ["broken_link", "folder"])
def test_what_cannot_be_read_is_quarantined_until_it_can(tmp_path, folder, harm):
    path = tmp_path / "h.json.gz"
    path.symlink_to(tmp_path / "absent") if harm == "broken_link" else path.mkdir()
    made = make_hour(path, folder)
    assert (made.sha256, made.account.kept, made.account.quarantine) == ("", 0, {"unreadable": 1})
    [row] = read_jsonl(folder / "h.quarantine.jsonl")
    assert (row["file"], row["reason"], row["length"]) == ("h.json.gz", "unreadable", 0)
    path.unlink() if harm == "broken_link" else path.rmdir()
    write_hour(path, pull_event(1))
    assert (make_hour(path, folder).account.kept, read_jsonl(folder / "h.quarantine.jsonl")) == (1, [])


def test_an_hour_that_can_no_longer_be_read_is_not_kept(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", pull_event(1))
    make_hour(path, folder)
    path.unlink()
    path.symlink_to(tmp_path / "absent")
    assert make_hour(path, folder).account.quarantine == {"unreadable": 1}
    assert pq.read_table(folder / "h.parquet").num_rows == 0


def test_a_failed_hour_leaves_nothing(tmp_path, folder):
    (folder / "h.parquet").mkdir()
    with pytest.raises(IsADirectoryError):
        make_hour(write_hour(tmp_path / "h.json.gz", pull_event(1)), folder)
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["h.quarantine.jsonl"]


def test_quarantine_rows_are_ascii_json(tmp_path, folder):
    path = write_hour(tmp_path / "h.json.gz", '{"é\u2028'.encode(), dumps(push_event(1)))
    make_hour(path, folder)
    [line] = (folder / "h.quarantine.jsonl").read_bytes().splitlines()
    assert json.loads(line.decode("ascii"))["length"] == 7
