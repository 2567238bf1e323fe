import sys
from pathlib import Path

import pytest

from openswerl.edits import Block, render
from openswerl.errors import UserError
from openswerl.reward import ScorePool, answer_of, names, score

OWN = """
from openswerl.reward import Value, Work

ANSWER = "search_replace"


def reward(work: Work) -> Value:
    return Value(len(work.edited.new) / 8, {})
"""


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


def test_a_module_of_one_s_own_needs_no_registration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing of its cost, so it runs in a scoring process, which must find it too."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "counted.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    answer = render("t", [Block("a.py", "", "x"), Block("b.py", "", "x")])
    with ScorePool("mine.counted", time_limit_s=60) as pool:
        (scored,) = pool.score_many([({}, {}, answer)])
    assert (scored.reward, scored.reason, pool.answer) == (0.25, None, "search_replace")
    sys.modules.pop("mine.counted"), sys.modules.pop("mine")


def test_a_fault_of_one_s_own_module_ends_the_run_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "one.py").write_text(OWN.replace("/ 8", "/ 0"))
    monkeypatch.syspath_prepend(tmp_path)
    with (
        ScorePool("broken.one", time_limit_s=60) as pool,
        pytest.raises(UserError, match=r"reward\.kind=broken\.one raised ZeroDivisionError: division by zero"),
    ):
        pool.score_many([({}, {}, render("t", [Block("a.py", "", "x")]))])
    sys.modules.pop("broken.one"), sys.modules.pop("broken")
