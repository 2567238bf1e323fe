import csv
import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from archive.hours import comment_event, pull_event, push_event, write_hour
from killing import kill_main
from openswerl.archive.run import run
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.stage import Job
from servers import network, running, status


def job_of(source: Path, out: Path) -> Job:
    out.mkdir(exist_ok=True)
    return Job(OmegaConf.create({"data": {"source": "local", "path": str(source)}, "span": "all"}), out, {}, "d")


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    for hour in range(4):
        events = [pull_event(hour * 100 + n) for n in range(1, 60)]
        write_hour(folder / f"2015-01-01-{hour}.json.gz", *events, comment_event(1), push_event(2), b"junk")
    (folder / "2015-01-01-4.json.gz").write_bytes(b"<html>")
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_summary_coverage_and_quarantine(source, tmp_path):
    raw = [len(gzip.decompress(path.read_bytes())) for path in sorted(source.iterdir())[:4]]
    assert run(job_of(source, tmp_path / "out")) == {
        "hours": {"failed": 1, "read": 4},
        "bytes": sum(raw),
        "events": {"IssueCommentEvent": 4, "PullRequestEvent": 4 * 59},
        "other_events": 4,
        "kept": 4 * 60,
        "quarantine": {"not_gzip": 1, "not_json": 4},
        "quarantined_bytes": 4 * len(b"junk"),
        "unread_bytes": len(b"<html>"),
        "redacted": {"emails": 0, "secrets": 0},
    }
    with (tmp_path / "out/coverage.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["hour"] for row in rows] == [f"2015-01-01-{hour}" for hour in range(5)]
    assert [row["state"] for row in rows] == ["read"] * 4 + ["failed"]
    assert [int(row["bytes"]) for row in rows] == [*raw, 0]
    assert [(row["events"], row["kept"], row["quarantined_bytes"]) for row in rows[:4]] == [("61", "60", "4")] * 4
    found = read_jsonl(tmp_path / "out/quarantine.jsonl")
    assert [row["reason"] for row in found] == ["not_json"] * 4 + ["not_gzip"]
    assert all(row.keys() == {"file", "offset", "length", "reason", "sample"} for row in found)


def test_a_broken_link_and_a_folder_fail_alone(source, tmp_path, capsys):
    (source / "2015-01-01-5.json.gz").symlink_to(tmp_path / "absent")
    (source / "2015-01-01-6.json.gz").mkdir()
    summary = run(job_of(source, tmp_path / "out"))
    assert (summary["hours"], summary["kept"]) == ({"failed": 3, "read": 4}, 4 * 60)
    assert summary["quarantine"] == {"not_gzip": 1, "not_json": 4, "unreadable": 2}
    assert "warning" not in capsys.readouterr().err


def test_a_run_without_a_usable_hour_warns(source, tmp_path, capsys):
    for hour in range(4):
        (source / f"2015-01-01-{hour}.json.gz").unlink()
    (source / "2015-01-01-5.json.gz").write_bytes(b"")
    assert run(job_of(source, tmp_path / "out"))["hours"] == {"failed": 2}
    [line] = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert "none of 2 hour files can be used" in line and str(tmp_path / "out/quarantine.jsonl") in line


@pytest.mark.parametrize("count", ["1", "2", "3"])
def test_the_number_of_workers_does_not_show(source, tmp_path, monkeypatch, count):
    monkeypatch.setenv("OPENSWERL_WORKERS", "1")
    run(job_of(source, tmp_path / "one"))
    monkeypatch.setenv("OPENSWERL_WORKERS", count)
    run(job_of(source, tmp_path / "many"))
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "many")


def test_a_second_run_keeps_counts_and_quarantine_of_finished_hours(source, tmp_path):
    first = run(job_of(source, tmp_path / "out"))
    before = bytes_of(tmp_path / "out")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/hours").iterdir()}
    (tmp_path / "out/quarantine.jsonl").unlink()
    (tmp_path / "out/coverage.csv").unlink()
    assert run(job_of(source, tmp_path / "out")) == first
    assert bytes_of(tmp_path / "out") == before
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out/hours").iterdir()} == times


def test_hours_of_another_config_and_torn_files_are_removed(source, tmp_path):
    run(job_of(source, tmp_path / "clean"))
    hours = tmp_path / "out/hours"
    hours.mkdir(parents=True)
    (hours / "2014-01-01-0.parquet").write_bytes(b"stale")
    (hours / ".2015-01-01-0.parquet.99.tmp").write_bytes(b"half")
    run(job_of(source, tmp_path / "out"))
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "clean")


def test_no_hour_file_is_one_clear_error(tmp_path):
    with pytest.raises(UserError, match="holds no"):
        run(job_of(tmp_path, tmp_path / "out"))


def test_a_download_is_read_month_by_month(tmp_path):
    january = write_hour(tmp_path / "january", pull_event(1), pull_event(2)).read_bytes()
    february = write_hour(tmp_path / "february", pull_event(3)).read_bytes()
    data = {"source": "gharchive", "path": str(tmp_path / "hours"), "start": "2015-01-31-22", "end": "2015-02-01-0"}
    with running() as server:
        server.files.update({"/2015-01-31-22.json.gz": january, "/2015-02-01-0.json.gz": february})
        found = {}
        for span in ("2015-01", "2015-02"):
            out = tmp_path / span
            out.mkdir()
            cfg = OmegaConf.create({"data": data, "span": span, "network": network(server.url)})
            found[span] = run(Job(cfg, out, {}, "d"))
    assert (found["2015-01"]["hours"], found["2015-01"]["kept"]) == ({"missing": 1, "read": 1}, 2)
    assert (found["2015-02"]["hours"], found["2015-02"]["kept"]) == ({"read": 1}, 1)
    rows = (tmp_path / "2015-01/coverage.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [["2015-01-31-22", "read"], ["2015-01-31-23", "missing"]]
    assert [path.name for path in sorted((tmp_path / "2015-02/hours").glob("*.parquet"))] == ["2015-02-01-0.parquet"]


def test_a_failed_download_ends_the_cell_and_a_second_run_makes_up_for_it(tmp_path):
    data = {"source": "gharchive", "path": str(tmp_path / "hours"), "start": "2015-01-01-0", "end": "2015-01-01-1"}
    names = [f"2015-01-01-{hour}.json.gz" for hour in (0, 1)]
    with running() as server:
        for number, name in enumerate(names, 1):
            server.files[f"/{name}"] = write_hour(tmp_path / name, pull_event(number)).read_bytes()
        server.script[f"/{names[1]}"] = [status(500)] * 3
        cfg = OmegaConf.create({"data": data, "span": "2015-01", "network": network(server.url)})
        job = Job(cfg, tmp_path / "out", {}, "d")
        with pytest.raises(UserError, match="1 of 2 hours could not be downloaded, 2015-01-01-1 first"):
            run(job)
        assert (job.out / "hours/2015-01-01-0.parquet").exists()
        assert run(job)["hours"] == {"read": 2}
        assert server.paths().count(f"/{names[0]}") == 1


def test_a_span_without_hours_says_what_to_give(tmp_path):
    data = {"source": "gharchive", "path": str(tmp_path), "start": "2015-01-01-0", "end": "2015-01-01-1"}
    cfg = OmegaConf.create({"data": data, "span": "all", "network": network("http://127.0.0.1:9")})
    with pytest.raises(UserError, match="span=all has no hour from 2015-01-01-0 to 2015-01-01-1; give a month"):
        run(Job(cfg, tmp_path, {}, "d"))


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from archive.test_run import job_of
from openswerl.archive.run import run
if __name__ == "__main__":
    run(job_of(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def start(script: Path, source: Path, out: Path) -> subprocess.Popen[bytes]:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, str(script), str(source), str(out), tests]
    return subprocess.Popen(command, env=os.environ | {"OPENSWERL_WORKERS": "2"}, start_new_session=True)


@pytest.mark.slow
def test_a_kill_of_the_main_process_ends_its_workers(tmp_path):
    source, script = tmp_path / "source", tmp_path / "killed.py"
    source.mkdir()
    script.write_text(KILLED)
    for hour in range(4):
        write_hour(source / f"2015-01-01-{hour}.json.gz", pull_event(1))
    os.mkfifo(source / "2015-01-01-9.json.gz")  # one worker waits for ever
    process = start(script, source, tmp_path / "out")
    while len(list((tmp_path / "out").glob("hours/*.parquet"))) < 4:
        assert process.poll() is None
        time.sleep(0.01)
    kill_main(process)


@pytest.mark.slow
def test_kill_and_rerun_end_in_the_same_bytes(tmp_path):
    source, script = tmp_path / "source", tmp_path / "killed.py"
    source.mkdir()
    script.write_text(KILLED)
    for hour in range(9):
        events = [pull_event(hour * 5000 + n, body=f"{n} " * 400) for n in range(1, 500)]
        write_hour(source / f"2015-01-01-{hour}.json.gz", *events, b"junk")
    assert start(script, source, tmp_path / "whole").wait() == 0
    for kill in range(4):
        process = start(script, source, tmp_path / "out")
        while len(list((tmp_path / "out").glob("hours/*.parquet"))) <= 2 * kill and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.05 * kill)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "out/coverage.csv").exists()
    assert start(script, source, tmp_path / "out").wait() == 0
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")
