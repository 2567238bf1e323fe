"""Prompts show the problem and the files, and never gold data."""

import pytest

from openswerl.compose import load
from openswerl.edits import minimal_blocks, parse_blocks, patch_bodies
from openswerl.edits.patches import strip_fences
from openswerl.errors import UserError
from openswerl.models.prompts import (
    INSTRUCTIONS,
    UNIDIFF_INSTRUCTIONS,
    check_fit,
    hinted_prompt,
    plain_prompt,
    repair_prompt,
)
from openswerl.records import Instance, SourceFile
from openswerl.reward import names

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


@pytest.mark.parametrize("answer", ["search_replace", "unidiff"])
@pytest.mark.parametrize("form", ["compact", "chat"])
def test_repair_prompt_shows_the_task_and_no_gold(form, answer):
    text = str(repair_prompt(INSTANCE.task, form, answer))
    for shown in ("f is wrong", "p/m.py", "return a - 1", "p/n.py", "x = 1"):
        assert shown in text
    assert "777" not in text and "CANARY" not in text


@pytest.mark.parametrize("answer", ["search_replace", "unidiff"])
@pytest.mark.parametrize("form", ["compact", "chat"])
def test_hinted_prompt_adds_the_gold_edit_alone(form, answer):
    hinted = hinted_prompt(INSTANCE.task, minimal_blocks(INSTANCE.task.context, INSTANCE.oracle), form, answer)
    assert "return a + 777" in str(hinted) and "CANARY" not in str(hinted)
    assert len(str(hinted)) > len(str(repair_prompt(INSTANCE.task, form, answer)))


def test_compact_form_to_the_letter():
    first, second = INSTANCE.task.files
    files = f"### {first.path}\n{first.content}" + f"### {second.path}\n{second.content}"
    expected = f"Issue: f is wrong\n\nby one\n{files}".replace("x = 1###", "x = 1\n###")
    assert repair_prompt(INSTANCE.task, "compact") == f"{expected.rstrip()}\nAnswer:\n"


def test_the_worked_examples_follow_their_format():
    (block,) = parse_blocks(INSTRUCTIONS)
    assert block.search == "    return price"
    (body,) = patch_bodies(strip_fences(UNIDIFF_INSTRUCTIONS)).values()
    assert body.splitlines()[-2:] == ["-    return price", "+    return price * count"]


@pytest.mark.parametrize("form", ["compact", "chat"])
def test_each_form_of_answer_is_asked_for_and_the_other_is_not(form):
    edits, patch = (str(repair_prompt(INSTANCE.task, form, answer)) for answer in ("search_replace", "unidiff"))
    assert edits != patch
    if form == "chat":
        assert ("SEARCH" in edits, "diff" in edits) == (True, False)
        assert ("SEARCH" in patch, "diff" in patch) == (False, True)


@pytest.mark.parametrize("kind", names())
def test_the_config_of_a_reward_brings_the_prompt_that_fits(kind):
    check_fit(load(f"reward={kind}").prompt, kind)


def test_a_reward_and_a_prompt_that_do_not_fit_are_refused():
    with pytest.raises(UserError) as caught:
        check_fit(load("reward=continuous", "prompt=unidiff").prompt, "continuous")
    assert str(caught.value) == (
        "reward.kind=continuous reads search_replace answers, but prompt=unidiff asks for unidiff; "
        "choose prompt=search_replace or another reward"
    )
    with pytest.raises(UserError, match="reads unidiff answers, but prompt=search_replace"):
        check_fit(load("reward=patch_text", "prompt=search_replace").prompt, "patch_text")


def test_unknown_form_is_one_line():
    with pytest.raises(UserError, match=r"model\.prompt=poem is unknown: choose compact or chat"):
        repair_prompt(INSTANCE.task, "poem")
    with pytest.raises(UserError, match=r"prompt\.answer=song is unknown: choose search_replace or unidiff"):
        repair_prompt(INSTANCE.task, "chat", "song")


def test_position_does_not_tell_which_file_changes():
    places = set()
    for number in range(40):
        instance = Instance(f"o__r-{number}", "o/r", "a", "t", *[[SourceFile(p, "")] for p in "ab"], [], "")
        places.add([file.path for file in instance.task.files].index("a"))
    assert places == {0, 1}


def test_a_question_about_no_repository_stands_as_it_is():
    assert plain_prompt("What is 1 + 1?", "compact") == "What is 1 + 1?\n"
    assert plain_prompt("What is 1 + 1?", "chat") == [{"role": "user", "content": "What is 1 + 1?"}]
    with pytest.raises(UserError, match=r"model\.prompt=verse is unknown: choose compact or chat"):
        plain_prompt("", "verse")
