import pytest
from hypothesis import given
from hypothesis import strategies as st

from openswerl.relate.imports import imported_files, imported_modules

FILES = [
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
]


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
    ],
)
def test_imports_become_files(path, source, expected):
    assert imported_files(path, imported_modules(source), FILES) == expected


@given(st.text(alphabet="fromipt .,()\n\t_aX*#\\") | st.text())
def test_any_source_is_survived(source):
    assert isinstance(imported_files("a/b.py", imported_modules(source), FILES), set)
