import re

from hypothesis import given, settings
from hypothesis import strategies as st

from crawl.world import DIFF, Work, run_git
from openswerl.crawl.patches import redact_patch
from openswerl.redact import email_placeholder, redact_lines, secret_placeholder

TOKEN = "ghp_" + "aB3" * 12
ANN = email_placeholder("ann@gmail.com")
BODY = "MIIEpAIB" * 8
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----\n"


def patch_of(work: Work, old: dict, new: dict) -> str:
    before = work.commit(old)
    return run_git(work.folder, *DIFF, before, work.commit(new)).decode()


def blob(work: Work, content: str) -> str:
    return work.git("hash-object", "--stdin", stdin=content.encode())


def test_lines_of_every_kind_are_redacted(tmp_path):
    sides = [f"def f():\n# ann@gmail.com\n{line}\nend = 1" for line in (f"old = '{TOKEN}'", "new = 'ann@gmail.com'")]
    patch = patch_of(Work(tmp_path / "w"), {"a.py": sides[0]}, {"a.py": sides[1]})
    expected = patch.replace(TOKEN, secret_placeholder(TOKEN)).replace("ann@gmail.com", ANN)
    assert redact_patch(patch, frozenset()) == expected != patch


def test_a_patch_without_anything_private_is_kept_byte_for_byte(tmp_path):
    old = {"a.py": "@decorator\ndef f():\n" + "  x\n" * 9, "b": "\0", "c": "x\r\n", "d": "1"}
    patch = patch_of(Work(tmp_path / "w"), old, {"a.py": old["a.py"] + "y\n", "b": "\0\1", "c": "x\n", "d é": "1"})
    assert redact_patch(patch, frozenset()) == patch
    assert redact_patch("", frozenset()) == ""


def test_hunks_of_a_withheld_blob_go_and_the_rest_stays(tmp_path):
    work = Work(tmp_path / "w")
    keys = "".join(f"key {n}\n" for n in range(30))
    patch = patch_of(work, {"a": "1\n", "k": keys, "z": "1\n"}, {"a": "2\n", "k": keys + "more\n", "z": "2\n"})
    parts = re.split(r"(?m)^(?=diff --git )", patch)[1:]
    head = parts[1].partition("@@")[0]
    assert head.endswith("+++ b/k\n")
    for side in (keys, keys + "more\n"):
        assert redact_patch(patch, {blob(work, side)}) == parts[0] + head + parts[2]


def test_a_withheld_file_that_becomes_a_link_has_two_sections(tmp_path):
    work = Work(tmp_path / "w")
    before = work.commit({"k": "secret\n", "z": "1\n"})
    after = work.commit({"k": "z"}, before, mode="120000")
    patch = run_git(work.folder, *DIFF, before, after).decode()
    redacted = redact_patch(patch, {blob(work, "secret\n")})
    assert "-secret" in patch and "secret" not in redacted
    assert "+z\n" in redacted and redacted.count("diff --git") == 2


def test_a_key_is_found_in_the_hunks_too(tmp_path):
    patch = patch_of(Work(tmp_path / "w"), {"big": "x\n" * 9}, {"big": "x\n" * 9 + KEY})
    assert BODY in patch and BODY not in redact_patch(patch, frozenset())


def test_headings_that_git_may_have_cut_are_left_out(tmp_path):
    long = "def mail(who='" + "a" * 38 + "ann.with.a.long.name@gmail.com'):"
    for first in (long, "def f(): return 'ann@gmail.com'", f"def f(): return '{TOKEN}'"):
        old = first + "\n" + "  x\n" * 9
        patch = patch_of(Work(tmp_path / str(len(first))), {"a.py": old}, {"a.py": old + "y\n"})
        assert re.search(r"^@@ .* @@ def", patch, re.MULTILINE)
        redacted = redact_patch(patch, frozenset())
        assert re.search(r"^@@ -\d+,\d+ \+\d+,\d+ @@$", redacted, re.MULTILINE) and "def" not in redacted


LINES = st.lists(
    st.sampled_from(["a", "  b", "", f"k = '{TOKEN}'", "by ann@gmail.com", "by eve@gmail.com", "-- x", "++ y", "@@ z"]),
    min_size=1,
)


@settings(max_examples=25, deadline=None)
@given(LINES, LINES)
def test_the_redacted_diff_is_the_diff_of_redacted_files(tmp_path_factory, old, new):
    """Apart from blob ids and headings."""
    work = Work(tmp_path_factory.mktemp("w") / "w")
    sides = ["\n".join(lines) + "\n" for lines in (old, new)]
    patch, hidden = (
        patch_of(work, {"f": one}, {"f": other}) for one, other in (sides, [redact_lines(side).text for side in sides])
    )
    varying = re.compile(r"^(@@ .* @@).*|^index .*", re.MULTILINE)
    assert varying.sub(r"\1", redact_patch(patch, frozenset())) == varying.sub(r"\1", hidden)
