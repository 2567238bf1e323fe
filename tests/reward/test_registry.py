import re
from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.edits import Block, render
from openswerl.errors import UserError
from openswerl.reward import ScorePool, answer_of, names, score

MakeKind = Callable[..., str]


def test_the_rewards_of_the_package_and_their_forms_of_answer() -> None:
    forms = {name: answer_of(name) for name in names()}
    assert forms == {
        "continuous": "search_replace", "discrete": "search_replace", "execution": "search_replace",
        "hybrid": "search_replace", "patch_text": "unidiff", "unidiff": "unidiff",
    }  # fmt: skip


def test_every_option_of_the_config_names_a_kind(conf: Path) -> None:
    assert {path.stem for path in (conf / "reward").glob("*.yaml")} == set(names())


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    for make in (lambda **names: score({}, {}, "", **names), ScorePool):
        with pytest.raises(UserError, match=r"reward\.kind=fuzzy is not known; choose one of: continuous, discrete, "):
            make(kind="fuzzy")
        with pytest.raises(UserError, match=r"reward\.kind=no\.such cannot be imported: No module named 'no'"):
            make(kind="no.such")
        with pytest.raises(UserError, match=r"reward\.kind=os\.path needs ANSWER"):
            make(kind="os.path")
    with pytest.raises(UserError, match="compat=lax is not known; choose one of: paper, strict"):
        score({}, {}, "", compat="lax")  # type: ignore[arg-type]


def test_options_that_no_kind_reads_are_refused() -> None:
    with pytest.raises(UserError, match=r"reward\.kind=discrete has no options; remove reward\.options="):
        ScorePool("discrete", options={"weight": 2})


def test_a_module_of_one_s_own_needs_no_registration(make_kind: MakeKind) -> None:
    """It says nothing of its cost, so it runs in a scoring process, which must find it too."""
    answer = render("t", [Block("a.py", "", "x"), Block("b.py", "", "x")])
    with ScorePool(make_kind("counted", "Value(len(work.edited.new) / 8, {})"), time_limit_s=60) as pool:
        (scored,) = pool.score_many([({}, {}, answer)])
    assert (scored.reward, scored.reason, pool.answer) == (0.25, None, "search_replace")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0.5", r"gave 0\.5; it must give a Value\(reward, files\)"),
        ("None", r"gave None; it must give a Value"),
        ("(0.5, {})", r"gave \(0\.5, \{\}\); it must give a Value"),
        ("Value(0.5, None)", r"gave Value\(reward=0\.5, files=None\); it must give a Value"),
        ("Value(None, {})", r"gave None where a finite number must be"),
        ("Value(float('nan'), {})", r"gave nan where a finite number must be"),
        ("Value(float('-inf'), {})", r"gave -inf where a finite number must be"),
        ("Value(True, {})", r"gave True where a finite number must be"),
        ("Value(1.0, {'a': float('nan')})", r"gave nan where a finite number must be"),
        ("__import__('numpy').ones((2, 2))", r"gave array\(.*; it must give a Value"),
        ("Value(1.0, {'a': print})", r"gave <built-in function print> where a finite number must be"),
    ],
)
@pytest.mark.parametrize("inline", [True, False])
def test_what_is_no_finite_number_ends_the_run_with_the_kind_s_name(
    value: str, message: str, inline: bool, make_kind: MakeKind
) -> None:
    """Wherever it is computed: in this process, or in one of the pool's."""
    kind = make_kind("odd", value, inline=inline)
    with ScorePool(kind, time_limit_s=60) as pool, pytest.raises(UserError) as caught:
        pool.score_many([({}, {}, "x")])
    assert re.match(rf"reward\.kind=own\.odd {message}", str(caught.value))
    assert "\n" not in str(caught.value)


def test_numbers_of_a_kind_become_floats(make_kind: MakeKind) -> None:
    scored = score({}, {}, "x", kind=make_kind("whole", "Value(1, {'a': __import__('numpy').float32(0.25)})"))
    assert (repr(scored.reward), repr(scored.files)) == ("1.0", "{'a': 0.25}")


def test_a_fault_of_one_s_own_module_ends_the_run_with_its_name(make_kind: MakeKind) -> None:
    with (
        ScorePool(make_kind("broken", "Value(1 / 0, {})"), time_limit_s=60) as pool,
        pytest.raises(UserError, match=r"reward\.kind=own\.broken raised ZeroDivisionError: division by zero"),
    ):
        pool.score_many([({}, {}, render("t", [Block("a.py", "", "x")]))])
