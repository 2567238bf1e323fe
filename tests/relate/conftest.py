from collections.abc import Iterator
from pathlib import Path

import pytest
from omegaconf import DictConfig

from crawl.world import Work
from openswerl.config import load
from openswerl.crawl.clone import Clone
from openswerl.relate import Tree


@pytest.fixture
def cfg() -> DictConfig:
    """The shipped conf/relate."""
    return load().relate


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")


@pytest.fixture
def tree(work: Work) -> Iterator[Tree]:
    """A package in which core.py is imported by api.py and imports util.py, and changes together with notes.py."""
    root = work.commit({
        "pkg/core.py": "from pkg.util import f\n", "pkg/util.py": "def f(): pass\n", "pkg/api.py": "import pkg.core\n",
        "pkg/notes.py": "# notes\n", "far/away/other.py": "x = 1\n", "tests/test_core.py": "import pkg.core\n",
        "pkg/empty.py": "", "pkg/data.json": "{}\n", "README.md": "import pkg.core\n", "pkg/near.py": "y = 1\n",
        "pkg/bad.py": b"import pkg.core\n\xff",
        "pkg/big.py": "import pkg.core\n" + "#" * 30_000,
    })  # fmt: skip
    commit = work.commit({"pkg/core.py": "from pkg.util import f\n# 1\n", "pkg/notes.py": "# 2\n"}, root)
    work.git("update-ref", "refs/heads/main", commit)
    with Clone(work.mirror(work.folder.parent / "clone.git")) as clone:
        yield Tree(clone, commit)
