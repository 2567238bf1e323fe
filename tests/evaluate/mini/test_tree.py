"""The printed tree holds every path once, whatever the look; a seed fixes the look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.errors import UserError
from openswerl.evaluate.mini.tree import Look, draw_look, print_tree

PATHS = ["shop/cart.py", "setup.py", "shop/api/views.py", "shop/__init__.py"]
names = st.text("abc_", min_size=1, max_size=3)
trees = st.lists(st.lists(names, min_size=1, max_size=3).map(lambda parts: "/".join([*parts, "x.py"])), unique=True)


def read(text: str, indent: int) -> list[str]:
    """Rebuild the paths from an indented tree, by the indentation alone."""
    folders, paths = [], []
    for line in text.split("\n"):
        level = (len(line) - len(line.lstrip(" "))) // indent
        folders = folders[:level]
        name = line.lstrip(" ")
        if name.endswith("/"):
            folders.append(name[:-1])
        else:
            paths.append("/".join([*folders, name]))
    return paths


def test_the_plain_look_is_in_order_of_name():
    assert print_tree(PATHS, Look(), "compact") == "setup.py\nshop/__init__.py\nshop/api/views.py\nshop/cart.py"
    indented = "setup.py\nshop/\n    __init__.py\n    api/\n        views.py\n    cart.py"
    assert print_tree(PATHS, Look(), "chat") == indented


def test_a_folder_stays_together_in_any_order():
    for seed in range(20):
        lines = print_tree(PATHS, Look(seed=seed), "compact").split("\n")
        inside = [line.startswith("shop/") for line in lines]
        assert sorted(lines) == sorted(PATHS) and inside in ([False, True, True, True], [True, True, True, False])


@given(trees.filter(bool), st.integers(0, 2**64))
def test_every_path_is_printed_once(paths, seed):
    look = draw_look(seed)
    assert sorted(print_tree(paths, look, "compact").split("\n")) == sorted(paths)
    assert sorted(read(print_tree(paths, look, "chat"), look.indent)) == sorted(paths)


def test_looks_vary_with_the_seed_and_only_with_it():
    looks = [draw_look(seed) for seed in range(60)]
    assert looks == [draw_look(seed) for seed in range(60)]
    assert {look.most for look in looks} == {2, 3, 4, 5} and {look.indent for look in looks} == {2, 4}
    assert len({print_tree(PATHS, look, "compact") for look in looks}) > 5


def test_an_unknown_form_is_refused():
    with pytest.raises(UserError, match="compact or chat"):
        print_tree(PATHS, Look(), "xml")
