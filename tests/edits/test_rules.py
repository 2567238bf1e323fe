from dataclasses import asdict

import pytest

from openswerl.compose import load
from openswerl.edits import RULES, FormatError, Notes, Rules, named_rules, rules_of
from openswerl.errors import UserError


def test_paper_is_everything_off_and_strict_everything_on() -> None:
    assert set(asdict(RULES["paper"]).values()) == {False}
    assert set(asdict(RULES["strict"]).values()) == {True}


@pytest.mark.parametrize("name", RULES)
def test_the_config_says_the_same(name: str) -> None:
    assert rules_of(load(f"edits={name}").edits) == RULES[name] == named_rules(name)


def test_each_switch_can_be_set_alone() -> None:
    assert rules_of(load("edits=paper", "edits.forgive_dot_slash=true").edits) == Rules(forgive_dot_slash=True)


def test_the_default_is_strict() -> None:
    assert rules_of(load().edits) == RULES["strict"]


def test_another_name_is_refused() -> None:
    with pytest.raises(UserError, match="compat=lax is not known; choose one of: paper, strict"):
        named_rules("lax")


def test_an_event_is_noted_once_and_damage_is_refused_or_noted() -> None:
    notes = Notes(Rules(refuse_partial_line=True, forgive_dot_slash=True))
    assert notes.forgive("dot_slash") and notes.forgive("dot_slash") and not notes.forgive("line_ends")
    notes.corrupt("marker_inside_block", "here")
    assert notes.codes == ("dot_slash", "marker_inside_block")
    with pytest.raises(FormatError) as caught:
        notes.corrupt("partial_line", "there")
    assert (caught.value.reason, caught.value.detail) == ("partial_line", "there")
