"""Mirrors that are opened late, and what a folder tells them."""

import pytest

from openswerl.files import write_jsonl
from openswerl.tracking.flat import flat
from openswerl.tracking.mirror import Late, Mirror
from openswerl.tracking.replay import SHOWN, replay


class Heard(Mirror):
    """Keeps what it is told."""

    def __init__(self):
        self.said = []

    def log(self, row):
        self.said.append(("log", row))

    def table(self, step, name, rows):
        self.said.append(("table", step, name, rows))

    def picture(self, step, name, path):
        self.said.append(("picture", step, name, path))

    def alert(self, step, name, text):
        self.said.append(("alert", step, name, text))

    def close(self, result):
        self.said.append(("close", result))


@pytest.fixture
def folder(tmp_path):
    """What a run of two steps leaves; of a third one it has a plot, but no row, as a killed run may."""
    write_jsonl(tmp_path / "metrics.jsonl", [{"step": 0, "loss": 2.0}, {"step": 1, "loss": 1.0}])
    write_jsonl(tmp_path / "timings.jsonl", [{"step": 1, "seconds": 3.0}])
    write_jsonl(tmp_path / "samples.jsonl", [{"step": 1, "n": n} for n in range(2)])
    write_jsonl(tmp_path / "alarms.jsonl", [{"step": 0, "alarm": "kl", "message": "far"}])
    (tmp_path / "plots").mkdir()
    for number in (2, 3):
        (tmp_path / "plots" / f"rewards-{number:06d}.png").touch()
    return tmp_path


def test_a_folder_tells_what_the_run_told(folder):
    heard = Heard()
    replay(folder, heard)
    assert heard.said == [
        ("log", {"step": 0, "loss": 2.0}),
        ("alert", 0, "kl", "far"),
        ("log", {"step": 1, "loss": 1.0, "seconds": 3.0}),
        ("picture", 1, "rewards", folder / "plots" / "rewards-000002.png"),
        ("table", 1, "samples", [{"step": 1, "n": 0}, {"step": 1, "n": 1}]),
    ]


def test_a_table_of_the_stage_goes_with_the_last_step(folder):
    write_jsonl(folder / "outcomes.jsonl", [{"n": n} for n in range(SHOWN + 1)])
    heard = Heard()
    replay(folder, heard)
    assert heard.said[-1] == ("table", 1, "outcomes", [{"n": n} for n in range(SHOWN)])


def test_an_empty_folder_tells_nothing(tmp_path):
    heard = Heard()
    replay(tmp_path, heard)
    assert heard.said == []


def test_a_silent_stage_is_told_of_from_its_folder_as_it_ends(folder):
    one, two = Heard(), Heard()
    late = Late("a run", folder, {"one": lambda: one, "two": lambda: two})
    assert one.said == []
    late.close({"n": 1})
    assert one.said == two.said and len(one.said) == 6 and one.said[-1] == ("close", {"n": 1})


def test_a_stage_that_spoke_is_not_told_of_again(folder):
    heard = Heard()
    late = Late("a run", folder, {"one": lambda: heard})
    late.log({"step": 0})
    late.alert(0, "kl", "far")
    late.table(0, "samples", [{"n": 1}])
    late.picture(0, "rewards", folder)
    late.close({})
    assert [kind for kind, *_ in heard.said] == ["log", "alert", "table", "picture", "close"]


def test_a_mirror_that_fails_is_left_and_the_others_are_told(folder, capsys):
    class Broken(Heard):
        def table(self, step, name, rows):
            raise ConnectionError("gone\naway")

    broken, heard = Broken(), Heard()
    late = Late("a run", folder, {"W&B": lambda: broken, "absent": lambda: 1 / 0, "one": lambda: heard})
    late.log({"step": 0})
    late.table(0, "samples", [{"n": 1}])
    late.close({})
    assert [kind for kind, *_ in broken.said] == ["log"]
    assert [kind for kind, *_ in heard.said] == ["log", "table", "close"]
    assert capsys.readouterr().err.splitlines() == [
        "warning: absent has not all of a run: ZeroDivisionError: division by zero",
        "warning: W&B has not all of a run: ConnectionError: gone away",
    ]


def test_names_of_nested_numbers():
    spread = {"low": 0.0, "high": 1.0, "counts": [1]}
    row = {"a": 1, "b": {"c": {"d": 2.5}, "e": None, "f": [1]}, "s": spread, "t": "text", "empty": {}}
    assert flat(row) == {"a": 1, "b/c/d": 2.5, "s": spread, "t": "text"}
