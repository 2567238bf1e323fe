import pytest

from openswerl.evaluate.mini.normalise import vote_key
from openswerl.evaluate.oracle.vote import NO_EDIT

OLD = "start\n"
ALIKE = [
    ("m.py", "x = 1\n", "x  =  1  # one\n"),
    ("m.py", "def f():\n    return 1\n", 'def f():\n    """Say."""\n    return (1)\n'),
    ("m.go", "x := 1\ny()\n", "x := 1 // one\n\n/* two\nlines */\ny()\n"),
    ("m.js", "f('//no', `/*no*/`)\n", "f('//no', `/*no*/`) // yes\n"),
    ("m.c", 'char *s = "a\\"//";\n', 'char *s = "a\\"//"; /* s */\n'),
    ("m.rs", "fn f<'a>(x: &'a str) {}\n", "fn f<'a>(x: &'a str) {} // it's\n"),
    ("m.rb", 'puts "#{x}"\n', '# all\nputs "#{x}" # x\n'),
    ("m.sh", "echo $# a#b\n", "echo $# a#b # count\n"),
    ("m.txt", "a\nb\n", "a  \n\nb\n"),
]
DIFFERENT = [
    ("m.py", "x = 1\n", "x = 2\n"),
    ("m.py", "x = '# a'\n", "x = '# b'\n"),
    ("m.go", 's := "// a"\n', 's := "// b"\n'),
    ("m.js", "x = `// a`\n", "x = `// b`\n"),
    ("m.java", "int a = b/2;\n", "int a = b;\n"),
    ("m.rb", 'x = "# a"\n', 'x = "# b"\n'),
    ("m.txt", "# a\n", "# b\n"),
    ("m.py", "def f(:\n", "def f(:  # not Python\n"),
]


@pytest.mark.parametrize(("path", "one", "other"), ALIKE)
def test_comments_and_layout_do_not_tell_edits_apart(path: str, one: str, other: str) -> None:
    assert vote_key({path: OLD}, {path: one}) == vote_key({path: OLD}, {path: other})
    assert vote_key({path: one}, {path: other}) == NO_EDIT
    assert vote_key({}, {path: one}) != NO_EDIT


@pytest.mark.parametrize(("path", "one", "other"), DIFFERENT)
def test_code_and_texts_do(path: str, one: str, other: str) -> None:
    assert vote_key({path: OLD}, {path: one}) != vote_key({path: OLD}, {path: other})


def test_files_and_their_absence_count() -> None:
    keys = {vote_key({"a.go": OLD}, {name: text}) for name in ("a.go", "b.go") for text in ("x\n", None)}
    assert len(keys) == 4 and vote_key({"b.go": None}, {"b.go": None}) == NO_EDIT
