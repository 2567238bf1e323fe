"""The site is built from what stands in the repository, without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from site_pages import departures, gather, pages, relinked

ROOT = Path(__file__).resolve().parents[2]


def test_links_follow_their_pages():
    known = {Path("conf/README.md"): Path("reference/groups.md"), Path("docs/wandb.md"): Path("wandb.md")}
    text = "[a](../docs/wandb.md) [b](../docs/wandb.md#sending-later) [c](../Makefile) [d](https://a.org/x.md)"
    found = relinked(text, Path("conf/README.md"), known)
    assert found == "[a](../wandb.md) [b](../wandb.md#sending-later) c (`Makefile`) [d](https://a.org/x.md)"


def test_a_link_to_nothing_is_an_error():
    with pytest.raises(ValueError, match="nowhere"):
        relinked("[a](missing.md)", Path("docs/wandb.md"), {})


def test_departures_are_those_of_the_readmes():
    found = departures(pages())
    assert "## crawl\n" in found and "The conversation ends with the merge" in found
    assert found.count("\n## ") + found.startswith("## ") == sum(
        bool(re.search(r"^## Departures from", path.read_text(), re.M))
        for path in (ROOT / "src/openswerl").rglob("README.md")
    )


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("sphinx", reason="the extra docs is not installed: pip install -c constraints.txt -e '.[docs]'")
    gather(tmp_path / "pages")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", ROOT / "docs"]
    done = subprocess.run([*command, tmp_path / "pages", tmp_path / "site"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    written = {path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.html")}
    assert {page.with_suffix(".html") for page in pages().values()} <= written
    assert "grpo.group_size" in (tmp_path / "site/reference/config.html").read_text()


def test_what_troubleshooting_quotes_is_what_the_code_says():
    """Each message of its first column, up to the places where names and numbers stand."""
    text = (ROOT / "docs/troubleshooting.md").read_text()
    code = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    code += "".join((ROOT / name).read_text() for name in ("scripts/dev/sandbox.py", "workflow/rules/common.smk"))
    elsewhere = {"Could not override"}  # Hydra's own
    quoted = {part for row in re.findall(r"^\| (.*?) \|", text, re.M) for part in re.findall(r"`([^`]+)`", row)}
    assert len(quoted) > 20
    assert not {part for part in quoted - elsewhere if part not in code}
