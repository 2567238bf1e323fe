import json

import pytest
from identify.vendor.licenses import LICENSES

from crawl.pulls import mirror
from crawl.world import Work
from openswerl.crawl.clone import Clone, Clones
from openswerl.crawl.git import GitError
from openswerl.crawl.licence import licence

TEXTS = {name: text.replace("[year]", "2015").replace("[fullname]", "Ann") for name, text in LICENSES}
MIT, APACHE = TEXTS["MIT"], TEXTS["Apache-2.0"]
EVIL = MIT.replace("THE SOFTWARE IS", "The Software shall be used for Good, not Evil.\n\nTHE SOFTWARE IS")
CASES = {
    "LICENSE": ({"LICENSE": MIT}, "MIT"),
    "markdown, spelt otherwise": ({"Licence.md": MIT.replace("\n", "\r\n")}, "MIT"),
    "copying": ({"COPYING": TEXTS["GPL-3.0"]}, "GPL-3.0"),
    "unlicense": ({"UNLICENSE": TEXTS["Unlicense"]}, "Unlicense"),
    "rails": ({"MIT-LICENSE.txt": MIT}, "MIT"),
    "holders": ({"LICENSE.txt": MIT.replace("Copyright (c)", "Copyright (c) 2009-2011 Bob\nCopyright (c)")}, "MIT"),
    "two": ({"COPYING": TEXTS["GPL-3.0"], "COPYING.LESSER": TEXTS["LGPL-3.0"]}, "GPL-3.0 AND LGPL-3.0"),
    "choice": ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, "Apache-2.0 AND MIT"),
    "twice the same": ({"LICENSE": MIT, "COPYING": MIT}, "MIT"),
    "third party": ({"LICENSE": MIT, "LICENSE-3RD-PARTY.txt": "see vendor/"}, "MIT"),
    "own": ({"LICENSE": "All rights reserved."}, ""),
    "own, with free documentation": ({"LICENSE": "All rights reserved.", "LICENSE-docs": TEXTS["CC-BY-4.0"]}, ""),
    "own beside a known one": ({"LICENSE": MIT, "COPYING": "All rights reserved."}, ""),
    "empty": ({"LICENSE.txt": ""}, ""),
    "readme": ({"README.md": "MIT licensed\n\n" + MIT}, ""),
    "deeper": ({"vendor/LICENSE": MIT}, ""),
    "not evil": ({"LICENSE": EVIL}, ""),
    "commons clause": ({"LICENSE": "“Commons Clause” License Condition v1.0\n\n" + "You may not sell. " * 9 + MIT}, ""),
    "binary": ({"LICENSE": MIT + "\0"}, ""),
    "huge": ({"LICENSE": MIT * 200}, ""),
    "code": ({"license.py": "print()", "licenses.txt": MIT}, ""),
    "none": ({"a.py": "1"}, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_pitfall_22_the_licence_comes_from_the_licence_file(tmp_path, case):
    files, expected = CASES[case]
    assert licence_of(Work(tmp_path / "w"), files) == expected


def licence_of(work: Work, files: dict) -> str:
    commit = work.commit(files)
    with Clone(mirror(work, commit)) as clone:
        return licence(clone, clone.commit(commit).tree)


@pytest.mark.parametrize(
    "name", ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MPL-2.0", "GPL-2.0", "Zlib"]
)
def test_each_licence_is_told_from_those_like_it(tmp_path, name):
    assert licence_of(Work(tmp_path / "w"), {"LICENSE": TEXTS[name]}) == name


def test_a_link_is_no_licence_file_and_a_missing_tree_is_an_error(tmp_path):
    work = Work(tmp_path / "w")
    commit = work.commit({"LICENSE": "COPYING"}, work.commit({"COPYING": MIT}), mode="120000")
    with Clone(mirror(work, commit)) as clone:
        assert licence(clone, clone.commit(commit).tree) == "MIT"
        with pytest.raises(GitError):
            licence(clone, "1" * 40)


# Where the file says less than people: no licence file but a README, an own sentence at the end, an empty file.
UNTOLD = {"epeli/underscore.string", "progval/limnoria", "uber/charlatan"}


def test_pitfall_22_real_licence_files(gharchive, real_clones):
    records = json.loads((gharchive / "expected.json").read_text())["records"]
    clones, found = Clones(real_clones), {}
    for record in records:
        if record["repo"] in clones.paths:
            with clones.open(record["repo"]) as clone:
                if commit := clone.commit(record["merge_base"]):
                    found[record["repo"]] = licence(clone, commit.tree)
    if not found:
        pytest.skip("OPENSWERL_CLONES holds none of the repositories")
    expected = {record["repo"]: "" if record["repo"] in UNTOLD else record["licence"] for record in records}
    assert found == {repo: expected[repo] for repo in found}
