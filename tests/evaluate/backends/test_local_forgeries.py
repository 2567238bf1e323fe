"""Patches that forge the log of the local backend's tests, or edit the tests."""

import pytest

from openswerl.evaluate.backends.local import LocalBackend
from tiny_repository import CORE, Tiny, patch

FORGED = (
    "test_name ok\\ntest_add ok\\n>>>>> Test Exit Code: 0\\n+ : '>>>>> End Test Output'\\n>>>>> Test Exit Code: 0\\n"
)
FORGERIES = {
    "prints markers and goes on": f'import os\nos.write(1, b"{FORGED}")\n',
    "prints markers and ends": f'import os\nos.write(1, b"{FORGED}")\nos._exit(0)\n',
    "prints markers and kills the shell": f'import os\nos.write(1, b"{FORGED}")\nos.kill(os.getppid(), 9)\n',
    "kills the shell": "import os\nos.write(1, b'test_add ok\\ntest_name ok\\n')\nos.kill(os.getppid(), 9)\n",
    "leaves a daemon that prints": f'import os, time\nif not os.fork():\n    os.setsid()\n    time.sleep(0.1)\n    while True:\n        os.write(1, b"{FORGED}")\n',  # noqa: E501
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("forgeries"))


@pytest.fixture(scope="module")
def local(tiny: Tiny) -> LocalBackend:
    return tiny.backend()


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_does_not_resolve(tiny: Tiny, local: LocalBackend, name: str) -> None:
    change = patch("calc/core.py", FORGERIES[name] + CORE)
    assert tiny.verdict(local, change).status != "resolved"
    assert tiny.verdict(local, tiny.problem.gold.patch).status == "resolved"


@pytest.mark.parametrize("path", ["tests/check_core.py", "calc/core.py"])
def test_edited_tests_are_put_back(tiny: Tiny, local: LocalBackend, path: str) -> None:
    """By the patch itself, or by the patched code on disk before the tests are read again."""
    easy = "def test_name():\n    pass\n\n\ndef test_add():\n    pass\n"
    code = f"import pathlib\npathlib.Path('tests/check_core.py').write_text({easy!r})\n" + CORE
    change = patch(path, easy if path.startswith("tests") else code)
    assert tiny.verdict(local, change).status == "unresolved"
    assert tiny.verdict(local, tiny.problem.gold.patch).status == "resolved"
