import pytest
from omegaconf import OmegaConf

from openswerl.crawl.clone import Clone
from openswerl.errors import UserError
from openswerl.relate import Query, Tree, consider, predict
from openswerl.relate.ranking import SINGLE, STATIC, Ranked, combined, rank_static, ranked
from openswerl.relate.signals import Signals


def with_(cfg, **values):
    return OmegaConf.merge(cfg, values)


def change(*paths, title="", description=""):
    return Query(title, description, paths)


def test_imports_outrank_co_change_which_outranks_nearness(tree, cfg):
    found = {file.path: file for file in rank_static(change("pkg/core.py"), tree, cfg)}
    order = list(found)
    importers, together, near, far = (
        {"pkg/api.py", "pkg/big.py", "pkg/util.py"},
        "pkg/notes.py",
        "pkg/near.py",
        "far/away/other.py",
    )
    assert set(order[:3]) == importers
    assert order.index(together) < order.index(near) < order.index(far)
    assert found["pkg/util.py"].reasons[0] == "imported by pkg/core.py"
    assert found["pkg/api.py"].reasons[0] == "imports pkg/core.py"
    assert found[together].reasons[:2] == ("changed together 1.00", "path 1.00")
    assert "path 0.33" in found[far].reasons


def test_an_import_outweighs_all_other_evidence_together():
    assert STATIC.imports > STATIC.together + STATIC.near + STATIC.words
    imported, all_else = Signals("b", ("imports x",), 0.0, 0.0, 0.0), Signals("a", (), 1.0, 1.0, 1.0)
    assert combined([all_else] * 20 + [imported])[0].path == "b"


def test_words_decide_between_equals_in_a_tree_with_enough_files_to_tell():
    def order(files):
        return [file.path for file in combined([Signals(f"{n:02d}", (), 0.0, 1.0, n / 20) for n in range(files)])]

    assert order(9) == [f"{n:02d}" for n in range(9)]
    assert order(10) == [f"{n:02d}" for n in reversed(range(10))]


def test_a_single_kind_of_evidence_names_only_the_files_that_have_it():
    evidence = [Signals("a", (), 0.0, 0.5, 0.0), Signals("b", ("imports x",), 0.0, 1.0, 0.2)]
    assert [[file.path for file in ranked(evidence, SINGLE[name])] for name in ("imports", "cochange", "path")] == [
        ["b"],
        [],
        ["b", "a"],
    ]
    assert ranked(evidence, SINGLE["bm25"]) == [Ranked("b", 0.2, ("imports x", "path 1.00", "words 0.20"))]


def test_only_unchanged_code_of_the_same_language_and_no_tests(tree, cfg):
    paths = [file.path for file in rank_static(change("pkg/core.py"), tree, cfg)]
    assert not {"pkg/core.py", "pkg/data.json", "README.md", "tests/test_core.py", "pkg/empty.py"} & set(paths)
    with_tests = rank_static(change("pkg/core.py"), tree, with_(cfg, include_tests=True))
    assert "tests/test_core.py" in [file.path for file in with_tests]
    assert rank_static(change("README.md"), tree, cfg) == []


def test_limits(tree, cfg):
    query = change("pkg/core.py")
    assert len(predict(query, tree, cfg)) == cfg.max_files == 1
    everything = predict(query, tree, with_(cfg, max_files=99, max_bytes=1_000_000))
    texts = {"pkg/api.py", "pkg/big.py", "pkg/util.py", "pkg/notes.py", "pkg/near.py", "far/away/other.py"}
    assert set(everything) == texts
    small = predict(query, tree, with_(cfg, max_files=99, max_bytes=40))
    assert sum(len(tree.text(path)) for path in small) <= 40
    assert "pkg/big.py" not in small and len(small) >= 2
    assert predict(query, tree, with_(cfg, max_files=0)) == []


def test_every_file_that_is_passed_over_has_an_outcome(tree, cfg):
    found = {i.path: i.outcome for i in consider(change("pkg/core.py"), tree, with_(cfg, max_files=99, max_bytes=40))}
    assert (found["pkg/big.py"], found["pkg/bad.py"], found["pkg/api.py"]) == ("too_large", "not_text", "chosen")
    assert set(found.values()) == {"chosen", "too_large", "not_text"}


def test_the_ranking_is_the_same_again_and_ties_go_by_path(tree, cfg):
    query = change("pkg/core.py")
    one, two = (rank_static(query, Tree(tree.clone, tree.commit), cfg) for _ in range(2))
    assert one == two == sorted(one, key=lambda file: (-file.score, file.path))


def test_several_changed_files(tree, cfg):
    found = rank_static(change("pkg/util.py", "pkg/notes.py"), tree, cfg)
    assert found[0].path == "pkg/core.py"
    assert "imports pkg/util.py" in found[0].reasons


def test_a_new_file_has_no_past_and_is_ranked_all_the_same(tree, cfg):
    assert predict(change("pkg/new.py", "pkg/util.py"), tree, cfg) == ["pkg/core.py"]


def test_unknown_predictor(tree, cfg):
    with pytest.raises(UserError, match=r"relate\.predictor=crystal is unknown; there are: llm, static"):
        predict(change("pkg/core.py"), tree, with_(cfg, predictor="crystal"))


def test_a_path_that_names_a_person_is_not_passed_on(work, cfg):
    commit = work.commit({"pkg/a.py": "x = 1\n", "pkg/ann.lee@example.org.py": "import pkg.a\n", "pkg/b.py": "y = 1\n"})
    work.git("update-ref", "refs/heads/main", commit)
    with Clone(work.mirror(work.folder.parent / "clone.git")) as clone:
        found = consider(change("pkg/a.py"), Tree(clone, commit), cfg)
    assert [(item.path, item.outcome) for item in found] == [("", "personal_path"), ("pkg/b.py", "chosen")]
