import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from openswerl.config import load
from openswerl.redact import email_placeholder, secret_placeholder
from openswerl.relate import Query, consider, predict
from openswerl.relate.answers import NO_ANSWER, Answer, named

QUERY = Query("Mend it", "It breaks", ("pkg/core.py",))


@pytest.fixture
def llm():
    return OmegaConf.merge(load("relate=llm").relate, {"max_files": 3, "max_bytes": 1000})


def outcomes(answer, tree, cfg):
    return [(item.path, item.outcome) for item in consider(QUERY, tree, cfg, answer)]


def test_every_name_is_checked_against_the_tree(tree, llm):
    lines = ["pkg/util.py", "pkg/ghost.py", "pkg/core.py", " pkg/api.py ", "pkg/util.py", "tests/test_core.py", ""]
    answer = Answer("Some thoughts.\n<files>\n" + "\n".join(lines) + "\n</files>")
    assert outcomes(answer, tree, llm) == [
        ("pkg/util.py", "chosen"),
        ("pkg/api.py", "chosen"),
        ("pkg/ghost.py", "hallucinated"),
        ("pkg/core.py", "changed"),
        ("pkg/util.py", "duplicate"),
        ("tests/test_core.py", "test"),
    ]
    assert predict(QUERY, tree, llm, answer) == ["pkg/util.py", "pkg/api.py"]


def test_the_budget_holds_for_a_model_too(tree, llm):
    answer = Answer("<files>\npkg/big.py\npkg/bad.py\npkg/empty.py\npkg/api.py\n</files>")
    assert outcomes(answer, tree, llm) == [
        ("pkg/big.py", "too_large"),
        ("pkg/bad.py", "not_text"),
        ("pkg/empty.py", "empty"),
        ("pkg/api.py", "chosen"),
    ]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer("pkg/util.py"), "malformed"),
        (Answer("<files>pkg/util.py"), "malformed"),
        (Answer("<files>pkg/util.py", finished=False), "unfinished"),
        (Answer("</files>pkg/util.py<files>"), "malformed"),
        (Answer("<files>\na\n</files>\n<files>\npkg/util.py\n</files>"), "malformed"),
        (Answer("", fault="prompt_too_long"), "prompt_too_long"),
        (NO_ANSWER, "not_asked"),
    ],
)
def test_an_answer_of_another_form_names_nothing(answer, outcome, tree, llm):
    assert outcomes(answer, tree, llm) == [("", outcome)]


def test_a_hallucinated_path_is_shown_in_part(tree, llm):
    [(path, outcome)] = outcomes(Answer(f"<files>{'x' * 1000}</files>"), tree, llm)
    assert (len(path), outcome) == (200, "hallucinated")


def test_names_are_redacted_before_they_are_cut(tree, llm):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    lines = ["a/jane.doe@gmail.com.py", "jane.doe@gmail.com", "tests/" + token, "x/" * 90 + token]
    query = Query("Mend it", "It breaks", ("jane.doe@gmail.com",))
    answer = Answer("<files>" + "\n".join([*lines, lines[0]]) + "</files>")
    found = [(item.path, item.outcome) for item in consider(query, tree, llm, answer)]
    mail, file = email_placeholder("jane.doe@gmail.com"), email_placeholder("jane.doe@gmail.com.py")
    assert found == [
        (f"a/{file}", "hallucinated"),
        (mail, "changed"),
        (f"tests/{secret_placeholder(token)}", "hallucinated"),
        (("x/" * 90 + secret_placeholder(token))[:200], "hallucinated"),
        (f"a/{file}", "duplicate"),
    ]


PIECES = st.sampled_from(["<files>", "</files>", "\n", "pkg/util.py", "pkg/core.py", "../pkg/util.py", "/etc/passwd"])


@given(st.lists(PIECES | st.text(), max_size=12).map("".join))
def test_any_answer_is_read_or_refused(text):
    lines = named(text)
    assert lines is None or all(line.strip() == line and line and "\n" not in line for line in lines)


def test_odd_names_of_a_good_file_are_no_names_of_it(tree, llm):
    lines = ["./pkg/util.py", "/pkg/util.py", "pkg//util.py", "- pkg/util.py", "`pkg/util.py`", "pkg/../pkg/util.py"]
    found = outcomes(Answer("<files>" + "\n".join(lines) + "</files>"), tree, llm)
    assert [outcome for _, outcome in found] == ["hallucinated"] * len(lines)
