import pytest
from omegaconf import OmegaConf

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.relate import Query
from openswerl.relate.prompt import listing, related_prompt

QUERY = Query("Mend it", "It breaks.", ("pkg/core.py",))


def llm(**values):
    return OmegaConf.merge(load("relate=llm", "relate.max_files=4").relate, {"llm": values})


def test_the_prompt_shows_description_changed_paths_and_tree(tree):
    system, user = related_prompt(QUERY, *listing(QUERY, tree, llm()), llm())
    text = user["content"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "Pull request:\nMend it\n\nIt breaks.\n" in text
    assert "Changed files:\npkg/core.py\n" in text
    assert "Name up to 4 unchanged files" in text and "the 10 files of the repository" in text
    assert "\npkg/util.py" in text and "tests/test_core.py" not in text, "tests are not asked for"
    assert "from pkg.util import f" not in text, "no content, so no gold"


def test_pruning_keeps_the_language_and_the_neighbourhood(tree):
    everything, total = listing(QUERY, tree, llm())
    assert total == len(everything) == 10 and everything == sorted(everything)
    near = ["pkg/api.py", "pkg/bad.py", "pkg/big.py", "pkg/empty.py", "pkg/near.py", "pkg/notes.py", "pkg/util.py"]
    room = sum(len(path) + 1 for path in near)
    assert listing(QUERY, tree, llm(max_tree_bytes=room)) == (near, 10)
    assert "and 7 of the 10 files" in str(related_prompt(QUERY, near, 10, llm()))
    assert listing(QUERY, tree, llm(max_tree_bytes=room + len("far/away/other.py") + 1))[0] == [
        "far/away/other.py",
        *near,
    ]
    assert listing(QUERY, tree, llm(max_tree_bytes=0)) == ([], 10)


def test_a_long_description_is_cut(tree):
    query = Query("é" * 50, "", ("pkg/core.py",))
    text = str(related_prompt(query, [], 0, llm(max_description_bytes=11)))
    assert "é" * 5 in text and "é" * 6 not in text


def test_the_compact_form_is_text_and_others_are_refused(tree):
    compact = related_prompt(QUERY, ["a.py"], 1, llm(model={"prompt": "compact"}))
    assert isinstance(compact, str) and compact.endswith("a.py\n\nAnswer:\n")
    with pytest.raises(UserError, match=r"relate\.llm\.model\.prompt=poem is unknown"):
        related_prompt(QUERY, [], 0, llm(model={"prompt": "poem"}))
