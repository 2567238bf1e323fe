from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from openswerl.sft.questions import held_out, kinds_asked, make_questions
from sft.conftest import OLD, make

INSTANCES = [make(f"o__r-{number}", {"p/m.py": (OLD, "x = 1\n")}) for number in range(10)]


def questions(share, prompts, seed=0):
    return make_questions(INSTANCES, OmegaConf.create({"localisation": share, "prompts": prompts}), seed)


@given(st.integers(0, 20).map(lambda n: n / 20), st.integers(1, 40))
def test_localisation_has_its_share_in_every_stretch(share, prompts):
    asked = [question.kind.name == "localisation" for question in questions(share, prompts)]
    for end in range(1, prompts + 1):
        assert abs(sum(asked[:end]) - share * end) < 1 + 1e-9


def test_every_question_has_a_seed_of_its_own_also_where_instances_repeat():
    asked = questions(0.5, 25)
    assert len({question.seed for question in asked}) == 25
    assert {question.instance.instance_id for question in asked[:10]} == {item.instance_id for item in INSTANCES}
    assert asked == questions(0.5, 25) != questions(0.5, 25, seed=1)
    assert questions(0.5, 12) == asked[:12], "more prompts leave the first ones alone"


def test_kinds_are_those_with_a_share():
    shares = [OmegaConf.create({"localisation": share}) for share in (0.0, 0.5, 1.0)]
    names = [[kind.name for kind in kinds_asked(sft)] for sft in shares]
    assert names == [["editing"], ["editing", "localisation"], ["localisation"]]


def test_the_held_out_share_is_of_instances_and_never_rounds_to_none():
    asked = questions(0.0, 10)
    assert [len(held_out(asked, share, 0)) for share in (0.0, 0.01, 0.1, 0.11, 0.5)] == [0, 1, 1, 2, 5]
    assert held_out(asked, 0.3, 0) == held_out(asked[::-1], 0.3, 0)
    assert held_out(asked, 0.3, 0) != held_out(asked, 0.3, 1)
