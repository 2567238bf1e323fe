import fcntl
import gzip
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from snakemake.cli import parse_config

from openswerl.config import Cell
from openswerl.costs import cpu_seconds
from openswerl.disks import lock
from openswerl.errors import UserError
from openswerl.result_files import write_result
from openswerl.stage import Job, read_result, run_cell, snakemake

CALLS: list[Job] = []


def work(job: Job) -> dict:
    """Record the call and leave something behind, as a trainer does."""
    CALLS.append(job)
    job.scratch.mkdir(parents=True, exist_ok=True)
    (job.out / "rows.txt").write_text("rows")
    return {"rows": 1}


def fail(job: Job) -> dict:
    """Get half way."""
    job.scratch.mkdir(parents=True)
    (job.scratch / "checkpoint").write_text("half")
    raise ZeroDivisionError


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENSWERL_SNAKEMAKE", "1")
    CALLS.clear()


def run(name: str, cell: Cell) -> None:
    run_cell(cell, f"{__name__}:{name}")


def finish(cell: Cell) -> None:
    """Leave every result that the cell reads."""
    for before in cell.before:
        write_result(before.folder, {"digest": before.digest})


def test_the_result_holds_the_identity_and_the_summary():
    cell = Cell("laptop")
    run("work", cell)
    expected = {"digest": cell.digest, "stage": "laptop", "rows": 1}
    assert json.loads(Path("results/laptop/laptop/result.json").read_text()) == read_result(cell) == expected


def test_a_result_of_the_same_config_is_reused(capsys):
    run("work", Cell("laptop"))
    run("work", Cell("laptop", ("tracking.wandb=disabled", "reward=discrete")))
    assert len(CALLS) == 1
    assert "is up to date" in capsys.readouterr().out


def test_a_result_of_another_config_is_refused_with_what_to_do():
    run("work", Cell("laptop"))
    other = Cell("laptop", ("data.world.seed=9",))
    with pytest.raises(UserError) as caught:
        run("work", other)
    assert str(caught.value) == (
        f"results/laptop/laptop/result.json was made by another config ({Cell('laptop').digest}, this one is "
        f"{other.digest}): choose results=NEW, or remake it with: snakemake --cores all --force "
        "results/laptop/laptop/result.json --config overrides=data.world.seed=9"
    )
    assert len(CALLS) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides",
    [
        ("data.repositories=[a/b,c/d]",),
        ("data.repositories=[a/b]", "curate.benchmark_rows=['a b.jsonl']"),
        ("report.title=\"it: is # $(odd) 'x'\"", "data.repositories=[]"),
    ],
)
def test_the_advised_command_keeps_every_override(overrides):
    """Snakemake strips quotes at the ends of a value and reads it as YAML before common.smk splits it."""
    command = shlex.split(shlex.join(snakemake(Cell("crawl", overrides))))
    assert tuple(shlex.split(parse_config([command[-1]])["overrides"])) == overrides


def test_a_damaged_result_is_one_line():
    path = Cell("laptop").folder / "result.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"digest": "ab')
    with pytest.raises(UserError, match=r"result\.json is damaged; delete it and run again"):
        read_result(Cell("laptop"))


def spoil(path: Path) -> None:
    """Flip one bit, which leaves a text a text."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_a_damaged_input_is_refused_with_the_command_that_remakes_it():
    run("work", Cell("laptop"))
    spoil(Path("results/laptop/laptop/rows.txt"))
    with pytest.raises(UserError) as caught:
        run("work", Cell("archive"))
    assert str(caught.value) == (
        "results/laptop/laptop/rows.txt is not what was written; remake it with: "
        "snakemake --cores all --force results/laptop/laptop/result.json"
    )
    assert len(CALLS) == 1


def test_a_damaged_result_is_made_again_and_not_built_upon(capsys):
    run("work", Cell("laptop"))
    spoil(Path("results/laptop/laptop/rows.txt"))
    run("work_on_what_is_there", Cell("laptop"))
    assert "rows.txt is not what was written: the result is made again" in capsys.readouterr().out
    assert Path("results/laptop/laptop/rows.txt").read_text() == "rows"
    run("work_on_what_is_there", Cell("laptop"))
    assert "is up to date" in capsys.readouterr().out


def work_on_what_is_there(job: Job) -> dict:
    """Make what is missing, as stages do that go on after a kill."""
    if not (job.out / "rows.txt").exists():
        (job.out / "rows.txt").write_text("rows")
    return {}


def test_the_report_does_not_look_at_weights():
    cell = Cell("report")
    for before in cell.before:
        before.folder.joinpath("policy").mkdir(parents=True)
        before.folder.joinpath("policy/model.safetensors").write_text("weights")
        write_result(before.folder, {"digest": before.digest})
        spoil(before.folder / "policy/model.safetensors")
    run("work", cell)
    assert len(CALLS) == 1


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="Not a directory; mend it and run again"):
        run("work", Cell("laptop", (f"results={tmp_path}/file/x",)))


def no_room(job: Job) -> dict:
    """Meet a full disk."""
    with Path("/dev/full").open("w") as file:
        file.write("x")
    return {}


def test_a_full_disk_is_one_line():
    with pytest.raises(UserError, match="No space left on device; mend it and run again"):
        run("no_room", Cell("laptop"))


def write_much(job: Job) -> dict:
    """Write more than the system lets a file hold."""
    (job.out / "rows.txt").write_bytes(bytes(1 << 16))
    return {}


def test_a_file_that_may_not_grow_is_one_line_and_leaves_no_result():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, hard))
    try:
        with pytest.raises(UserError, match="File too large; mend it and run again"):
            run("write_much", Cell("laptop"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_result(Cell("laptop")) is None
    run("work", Cell("laptop"))
    assert read_result(Cell("laptop")) is not None


def test_an_input_of_another_config_is_refused():
    finish(Cell("crawl"))
    with pytest.raises(UserError, match=r"archive/all/result\.json was made by another config"):
        run("work", Cell("crawl", ("data.world.seed=9",)))


def test_a_missing_input_is_refused_before_any_work():
    with pytest.raises(UserError, match="results/laptop/laptop is not finished; make it with: snakemake"):
        run("work", Cell("crawl"))
    assert CALLS == []


def test_a_script_also_makes_the_stages_that_it_is_said_to_make(tmp_path):
    """Here with real hours: the archive cell of a crawl by hand."""
    hours = tmp_path / "hours"
    hours.mkdir()
    (hours / "2015-01-01-0.json.gz").write_bytes(gzip.compress(b""))
    cell = Cell("crawl", ("data=local", f"data.path={hours}", f"data.clones={hours}"))
    run("work", cell)
    (job,) = CALLS
    assert job.inputs == {"archive-all": Path("results/laptop/data/archive/all")}
    assert read_result(cell.before[0]) is not None


def test_a_job_sees_its_slice_and_its_inputs_by_name():
    cell = Cell("evaluate", ("policy=grpo-discrete", "seed=2"))
    finish(cell)
    run("work", cell)
    (job,) = CALLS
    assert job.inputs == {
        "laptop": Path("results/laptop/laptop"),
        "evaluate-gold-seed0": Path("results/laptop/evaluate/gold/seed0"),
        "evaluate-none-seed0": Path("results/laptop/evaluate/none/seed0"),
        "grpo-discrete-seed2": Path("results/laptop/grpo/discrete/seed2"),
    }
    assert (job.cfg.policy, job.cfg.seed, job.out) == ("grpo-discrete", 2, cell.folder)
    assert "grpo" not in job.cfg


def test_a_failure_leaves_no_result_and_keeps_the_checkpoints():
    cell = Cell("laptop")
    with pytest.raises(ZeroDivisionError):
        run("fail", cell)
    assert read_result(cell) is None
    assert (cell.folder / f"work-{cell.digest}" / "checkpoint").read_text() == "half"
    run("work", cell)
    assert not (cell.folder / f"work-{cell.digest}").exists()


def test_checkpoints_of_another_config_are_never_found():
    one, other = (Job(cell.view(), cell.folder, {}, cell.digest) for cell in (Cell("grpo"), Cell("grpo", ("seed=0",))))
    assert one.scratch == other.scratch
    changed = Cell("grpo", ("grpo.clip_low=0.3",))
    assert Job(changed.view(), changed.folder, {}, changed.digest).scratch != one.scratch


def test_the_cpu_seconds_are_kept_apart_from_the_result():
    cell = Cell("evaluate", ("policy=gold",))
    finish(cell)
    run("work", cell)
    costs = json.loads(Path("results/laptop/costs/evaluate/gold/seed0.json").read_text())
    assert set(costs) == {"cpu_seconds", "wall_seconds", "peak_megabytes"}
    assert costs["cpu_seconds"] > 0
    assert "cpu_seconds" not in (read_result(cell) or {})


def test_cpu_seconds_count_children():
    before = cpu_seconds()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True)
    assert cpu_seconds() - before >= 0.5


def holder(folder: Path) -> subprocess.Popen[str]:
    """Start a process that holds the folder, and wait until it does."""
    code = "import sys, time; from pathlib import Path; from openswerl.disks import lock\n"
    code += "with lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_folder_has_one_writer_and_a_kill_frees_it():
    folder = Cell("laptop").folder
    process = holder(folder)
    with pytest.raises(UserError, match="is being written by another process"):
        run("work", Cell("laptop"))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with lock(folder):
        assert (folder / ".lock").exists()


def test_an_error_that_is_not_the_disk_s_stays_what_it_is(tmp_path):
    with pytest.raises(RuntimeError, match=r"^its own$"), lock(tmp_path):
        raise RuntimeError("its own")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_result_made_by_hand_is_recorded(monkeypatch, capsys):
    monkeypatch.delenv("OPENSWERL_SNAKEMAKE")
    cell = Cell("laptop", ("scale=smoke", "data.world.seed=3"))
    cell.folder.joinpath("benchmark").mkdir(parents=True)
    cell.folder.joinpath("benchmark/rows.jsonl").touch()
    run("work", cell)
    assert capsys.readouterr().err == ""
    recorded = "".join(path.read_text() for path in Path(".snakemake/metadata").iterdir())
    assert json.dumps(cell.params)[1:-1] in recorded.replace("\\'", "'")


def test_a_running_snakemake_is_a_warning_and_the_result_stays(monkeypatch, capsys):
    monkeypatch.delenv("OPENSWERL_SNAKEMAKE")
    cell = Cell("laptop")
    locks = Path(".snakemake/locks")
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text(f"{cell.folder}/result.json\n")
    with Path(".snakemake/openswerl.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        run("work", cell)
    assert read_result(cell) is not None
    warning = capsys.readouterr().err
    assert warning.startswith("laptop: warning: Snakemake did not record this result: ")
    assert f"{Path.cwd()} has a workflow that runs" in warning
    assert warning.count("\n") == 1


TWO = ("processes=2",)


def several(monkeypatch, rank: int) -> Cell:
    """Be one of two processes of a training cell whose inputs are done."""
    for name, value in {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2}.items():
        monkeypatch.setenv(name, str(value))
    cell = Cell("grpo", TWO)
    finish(cell)
    return cell


def help_out(job: Job) -> dict:
    """Take part without writing."""
    CALLS.append(job)
    return {}


def test_the_main_process_alone_writes(monkeypatch):
    cell = several(monkeypatch, rank=1)
    run("help_out", cell)
    assert len(CALLS) == 1
    assert not cell.folder.exists()
    run("work", several(monkeypatch, rank=0))
    assert read_result(cell) == {"digest": cell.digest, "stage": "grpo", "rows": 1}


def test_how_many_processes_run_does_not_change_the_identity():
    assert Cell("grpo", TWO).digest == Cell("grpo").digest


def test_another_number_of_processes_than_configured_is_one_line(monkeypatch):
    finish(Cell("grpo"))
    with pytest.raises(
        UserError, match=r"processes=2 and 1 were started.* python -m openswerl.launch 2 scripts/grpo.py"
    ):
        run("work", Cell("grpo", TWO))
    several(monkeypatch, rank=0)
    with pytest.raises(UserError, match="processes=1 and 2 were started"):
        run("work", Cell("grpo"))
    with pytest.raises(UserError, match="processes=1 and 2 were started"):
        run("work", Cell("laptop", TWO))
    assert CALLS == []


def test_another_number_of_machines_than_configured_is_one_line(monkeypatch):
    finish(Cell("grpo"))
    with pytest.raises(UserError, match=r"nodes=2 and 1 were started.* srun --nodes=2 --ntasks-per-node=1 python -m"):
        run("work", Cell("grpo", ("nodes=2",)))
    several(monkeypatch, rank=0)
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(UserError, match="nodes=1 and 2 were started"):
        run("work", Cell("grpo", TWO))
