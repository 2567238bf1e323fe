"""Prompts show the problem and the files, and never gold data."""

import pytest

from openswerl.edits import minimal_blocks, parse_blocks
from openswerl.errors import UserError
from openswerl.models.prompts import INSTRUCTIONS, hinted_prompt, repair_prompt
from openswerl.records import Instance, SourceFile

OLD, GOLD = "def f(a):\n    return a - 1\n", "def f(a):\n    return a + 777\n"
INSTANCE = Instance(
    instance_id="o__r-1",
    repo="o/r",
    base_commit="abc",
    problem_statement="f is wrong\n\nby one",
    changed_files=[SourceFile("p/m.py", OLD)],
    related_unchanged_files=[SourceFile("p/n.py", "x = 1")],
    oracle_new_content=[SourceFile("p/m.py", GOLD)],
    golden_patch="CANARY-PATCH",
)


@pytest.mark.parametrize("form", ["compact", "chat"])
def test_repair_prompt_shows_the_task_and_no_gold(form):
    text = str(repair_prompt(INSTANCE.task, form))
    for shown in ("f is wrong", "p/m.py", "return a - 1", "p/n.py", "x = 1"):
        assert shown in text
    assert "777" not in text and "CANARY" not in text


@pytest.mark.parametrize("form", ["compact", "chat"])
def test_hinted_prompt_adds_the_gold_edit_alone(form):
    hinted = hinted_prompt(INSTANCE.task, minimal_blocks(INSTANCE.task.context, INSTANCE.oracle), form)
    assert "return a + 777" in str(hinted) and "CANARY" not in str(hinted)
    assert len(str(hinted)) > len(str(repair_prompt(INSTANCE.task, form)))


def test_compact_form_to_the_letter():
    first, second = INSTANCE.task.files
    files = f"### {first.path}\n{first.content}" + f"### {second.path}\n{second.content}"
    expected = f"Issue: f is wrong\n\nby one\n{files}".replace("x = 1###", "x = 1\n###")
    assert repair_prompt(INSTANCE.task, "compact") == f"{expected.rstrip()}\nAnswer:\n"


def test_the_worked_example_follows_the_format():
    (block,) = parse_blocks(INSTRUCTIONS)
    assert block.search == "    return price"


def test_unknown_form_is_one_line():
    with pytest.raises(UserError, match=r"model\.prompt=poem is unknown: choose compact or chat"):
        repair_prompt(INSTANCE.task, "poem")


def test_position_does_not_tell_which_file_changes():
    places = set()
    for number in range(40):
        instance = Instance(f"o__r-{number}", "o/r", "a", "t", *[[SourceFile(p, "")] for p in "ab"], [], "")
        places.add([file.path for file in instance.task.files].index("a"))
    assert places == {0, 1}
