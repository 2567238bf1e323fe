"""Gather the pages of the documentation into one folder, for Sphinx: python scripts/dev/site_pages.py FOLDER.

Pages are where their readers look first: docs/, the stages' READMEs, conf/. Here they get one tree; links between them
follow, and a link to a file that is no page becomes its name. What code knows better is written anew.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import config_reference

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")
DEPARTURES = re.compile(r"^## Departures from [^\n]*\n(.*?)(?=^## |\Z)", re.M | re.S)


def pages() -> dict[Path, Path]:
    """Return {page in the repository: page of the site}, both without their roots."""
    found = {path.relative_to(ROOT): path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    package = ROOT / "src" / "openswerl"
    for path in package.rglob("README.md"):
        found[path.relative_to(ROOT)] = Path("stages", "-".join(path.parent.relative_to(package).parts) + ".md")
    found[Path("conf/README.md")] = Path("reference/groups.md")
    for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY"):
        if (ROOT / f"{name}.md").exists():
            found[Path(f"{name}.md")] = Path(f"{name.lower()}.md")
    return found


def relinked(text: str, page: Path, known: dict[Path, Path]) -> str:
    """Return a page's text with its links as they are on the site. Raises ValueError for a link to no file."""

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match.groups()
        if re.match(r"\w+:", target):
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if path in known:
            return f"[{words}]({os.path.relpath(known[path], known[page].parent)}{anchor or ''})"
        if path.parts[0] == "docs" or not (ROOT / path).exists():
            return _within(match[0], path)
        return f"{words} (`{path}`)"

    return LINK.sub(link, text)


def _within(link: str, path: Path) -> str:
    """Return a link to a page that is made here, or to a file of docs/. Raises ValueError if there is neither."""
    if path not in MADE and not (ROOT / path).exists():
        raise ValueError(f"{link} leads nowhere")
    return link


def departures(known: dict[Path, Path]) -> str:
    """Return the section on departures from the paper of each README that has one."""
    found = []
    for page, place in sorted(known.items()):
        if place.parts[0] == "stages" and (match := DEPARTURES.search((ROOT / page).read_text(encoding="utf-8"))):
            found.append(f"## {place.stem}\n\n{relinked(match[1].strip(), page, known | {page: Path('x.md')})}\n")
    return "\n".join(found)


def paths() -> str:
    """Return the page on the path grammar, which stands at the head of the Snakefile."""
    lines = (ROOT / "Snakefile").read_text(encoding="utf-8").splitlines()
    grammar = [line[2:] for line in lines[: next(k for k, line in enumerate(lines) if not line.startswith("#"))]]
    return "# Paths\n\nThe head of the `Snakefile`:\n\n```text\n" + "\n".join(grammar) + "\n```\n"


MADE = {
    Path("docs/reference/config.md"): config_reference.page,
    Path("docs/reference/paths.md"): paths,
}


def gather(folder: Path) -> None:
    """Write the site's sources into a folder, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    known = pages()
    texts = {place: relinked((ROOT / page).read_text(encoding="utf-8"), page, known) for page, place in known.items()}
    texts |= {page.relative_to("docs"): make() for page, make in MADE.items()}
    texts[Path("departures.md")] += "\n" + departures(known)
    for place, text in texts.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    for name in ("graph.svg", "instance.schema.json"):
        shutil.copy(ROOT / "docs" / name, folder)


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
