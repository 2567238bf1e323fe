import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.relate.imports import READERS, imported_files, references
from openswerl.relate.imports.files import Files, join
from openswerl.relate.languages import LANGUAGES

PYTHON = [
    "pkg/__init__.py",
    "pkg/core.py",
    "pkg/util.py",
    "pkg/sub/__init__.py",
    "pkg/sub/deep.py",
    "src/lib_a/__init__.py",
    "src/lib_a/mod.py",
    "tool.py",
    "scripts/run.py",
    "scripts/helper.py",
    "fast/inner.pyx",
]


def imports(path: str, source: str, paths: list[str]) -> set[str]:
    return imported_files(path, references(path, source), Files(paths))


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("tool.py", "import pkg.core", {"pkg/core.py"}),
        ("tool.py", "import os, pkg.core as c, pkg.util", {"pkg/core.py", "pkg/util.py"}),
        ("tool.py", "from pkg import core", {"pkg/core.py", "pkg/__init__.py"}),
        ("tool.py", "from pkg.core import thing as t, other", {"pkg/core.py"}),
        (
            "tool.py",
            "from pkg import (  # why\n    core,\n    util as u,\n)",
            {"pkg/core.py", "pkg/util.py", "pkg/__init__.py"},
        ),
        ("tool.py", "from pkg import *", {"pkg/__init__.py"}),
        ("tool.py", "from lib_a.mod import x", {"src/lib_a/mod.py"}),
        ("tool.py", "def f():\n    import pkg.util  # late", {"pkg/util.py"}),
        ("tool.py", "import os, sys\nimport pkgx\nfrom . import nothing", set()),
        ("tool.py", "print 'python 2'\nimport pkg.core\nexec 'x'", {"pkg/core.py"}),
        ("pkg/core.py", "from . import util", {"pkg/util.py", "pkg/__init__.py"}),
        ("pkg/core.py", "from .util import f", {"pkg/util.py"}),
        ("pkg/core.py", "from .sub.deep import f", {"pkg/sub/deep.py"}),
        ("pkg/sub/deep.py", "from ..core import f", {"pkg/core.py"}),
        ("pkg/sub/deep.py", "from ... import tool", {"tool.py"}),
        ("pkg/sub/deep.py", "from ..... import tool", set()),
        ("pkg/core.py", "import pkg.core", set()),
        ("scripts/run.py", "import helper", {"scripts/helper.py"}),
        ("tool.py", "# import pkg.core\nx = 'import pkg.core'", set()),
        ("tool.py", "important = pkg.core", set()),
        ("tool.py", "import pkg.core; import pkg.util", {"pkg/core.py"}),
        ("tool.py", "", set()),
        ("tool.py", "from fast.inner import go", {"fast/inner.pyx"}),
        ("fast/inner.pyx", "cimport pkg.core\nfrom pkg.util cimport f", {"pkg/core.py", "pkg/util.py"}),
    ],
)
def test_python(path, source, expected):
    assert imports(path, source, PYTHON) == expected


WEB = ["index.js", "lib/a.js", "lib/b.ts", "lib/ui/index.tsx", "lib/ui/button.tsx", "src/core/api.ts", "data.json"]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("index.js", "import a from './lib/a'", {"lib/a.js"}),
        ("index.js", 'import {\n  x,\n  y as z\n} from "./lib/a.js";', {"lib/a.js"}),
        ("index.js", "import './lib/a'; export * from './lib/b'", {"lib/a.js", "lib/b.ts"}),
        ("index.js", "const a = require('./lib/a'), b = require( \"./lib/ui\" )", {"lib/a.js", "lib/ui/index.tsx"}),
        ("index.js", "const p = import('./lib/a')", {"lib/a.js"}),
        ("lib/a.js", "import x from '..'", {"index.js"}),
        ("lib/a.js", "import x from '.'", set()),
        ("lib/ui/button.tsx", "import x from '../b.js'", {"lib/b.ts"}),
        ("lib/ui/button.tsx", "import x from '../../../a'", set()),
        ("lib/a.js", "import x from 'core/api'", {"src/core/api.ts"}),
        ("index.js", "import x from 'lib'; import y from '@scope/lib/a'", set()),
        ("index.js", "require('./data.json')", {"data.json"}),
        ("lib/a.js", "import x from './a'", set()),
    ],
)
def test_javascript_and_typescript(path, source, expected):
    assert imports(path, source, WEB) == expected


NATIVE = ["src/a.c", "src/a.h", "include/lib/b.h", "vendor/one/c.h", "x/d.h", "y/d.h", "top.hpp"]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("src/a.c", '#include "a.h"\n#include <stdio.h>', {"src/a.h"}),
        ("src/a.c", "  #  include <lib/b.h> // yes", {"include/lib/b.h"}),
        ("src/a.c", '#include "c.h"', {"vendor/one/c.h"}),
        ("src/a.c", '#include "d.h"', set()),
        ("x/m.mm", '#import "../top.hpp"', {"top.hpp"}),
        ("src/a.c", '// #include "a.h"', set()),
    ],
)
def test_c(path, source, expected):
    assert imports(path, source, NATIVE) == expected


JVM = ["app/src/main/java/org/acme/Tool.java", "app/src/main/java/org/acme/util/Text.java", "k/org/acme/Extra.kt"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import org.acme.util.Text;", {JVM[1]}),
        ("import static org.acme.util.Text.trim;", {JVM[1]}),
        ("import org.acme.Extra\nimport org.acme.Extra.other", {JVM[2]}),
        ("import java.util.List;\nimport org.acme.*;", set()),
    ],
)
def test_java_and_kotlin(source, expected):
    assert imports(JVM[0], source, JVM) == expected


GO = ["cmd/main.go", "collect/cache/cache.go", "collect/cache/cache_test.go", "collect/cache/lru.go", "errors/e.go"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('import "github.com/acme/tool/collect/cache"', {"collect/cache/cache.go", "collect/cache/lru.go"}),
        (
            'import (\n\t"fmt"\n\tc "github.com/acme/tool/collect/cache" // it\n)',
            {"collect/cache/cache.go", "collect/cache/lru.go"},
        ),
        ('import e "example.org/tool/errors"', {"errors/e.go"}),
        ('import "github.com/pkg/errors"\nimport "errors"', set()),
        ('x := "github.com/acme/tool/errors"', set()),
    ],
)
def test_go(source, expected):
    assert imports("cmd/main.go", source, GO) == expected


RUBY = ["lib/http/client.rb", "lib/http/response.rb", "lib/http.rb", "gems/sub/lib/sub/x.rb", "spec/helper.rb"]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("lib/http.rb", "require 'http/client'\nrequire \"json\"", {"lib/http/client.rb"}),
        ("lib/http/client.rb", "require_relative 'response'", {"lib/http/response.rb"}),
        ("lib/http/client.rb", "require_relative('../http')", {"lib/http.rb"}),
        ("lib/http.rb", "autoload :Response, 'http/response'", {"lib/http/response.rb"}),
        ("lib/http.rb", "require 'sub/x'", {"gems/sub/lib/sub/x.rb"}),
        ("lib/http.rb", "load 'spec/helper.rb'", {"spec/helper.rb"}),
        ("lib/http.rb", "# require 'http/client'", set()),
    ],
)
def test_ruby(path, source, expected):
    assert imports(path, source, RUBY) == expected


RUST = ["src/lib.rs", "src/a.rs", "src/a/inner.rs", "src/b/mod.rs", "src/b/c.rs", "crates/x/src/main.rs", "build.rs"]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("src/lib.rs", "pub mod a;\nmod b;\nmod tests { }", {"src/a.rs", "src/b/mod.rs"}),
        ("src/a.rs", "pub(crate) mod inner;", {"src/a/inner.rs"}),
        ("src/a/inner.rs", "use crate::b::c::Thing;", {"src/b/c.rs"}),
        ("src/a/inner.rs", "use super::inner;\nuse super::super::b::c;", {"src/b/c.rs"}),
        ("src/b/c.rs", "use super::super::a::inner;", {"src/a/inner.rs"}),
        ("src/lib.rs", "use crate::{a::inner, b as q};", {"src/a/inner.rs", "src/b/mod.rs"}),
        ("src/lib.rs", "use self::a;\nuse std::a;", {"src/a.rs"}),
        ("crates/x/src/main.rs", "use crate::a;", set()),
    ],
)
def test_rust(path, source, expected):
    assert imports(path, source, RUST) == expected


def test_a_language_without_a_reader_imports_nothing():
    assert imports("a.php", "require 'b.php';", ["b.php"]) == set()
    assert set(READERS) < set(LANGUAGES)


SNIPPETS = st.text(alphabet="fromiptusecrld .,()\n\t_aX*#\\\"'/{}:;<>")


@given(
    st.sampled_from(sorted(suffix for name in READERS for suffix in LANGUAGES[name])),
    SNIPPETS | st.text(),
    st.lists(st.text(min_size=1)),
)
def test_any_source_in_any_tree_is_survived(suffix, source, paths):
    found = imports(f"a/b{suffix}", source, [*paths, f"a/x{suffix}"])
    assert found <= {*paths, f"a/x{suffix}"}


def test_places_are_normalised():
    assert [join("a/b", "../c"), join("a", ".."), join("", "x"), join("a", "../../x")] == ["a/c", "", "x", "../x"]
