"""The licence of a tree, from the licence files in its top folder; what a README says does not count."""

import functools
import re
import tempfile

from identify.identify import license_id

from openswerl.crawl.clone import Clone
from openswerl.crawl.contents import REGULAR

PLAIN = re.compile(r"(?:un)?licen[cs]e|copying|mit-licen[cs]e", re.IGNORECASE)
SUFFIX = re.compile(r"\.(?:md|txt|rst|markdown|lesser|textile|adoc)", re.IGNORECASE)
VARIANT = re.compile(r"(?:un)?licen[cs]e[-_.][\w.-]+|copying[-_.][\w.-]+|[\w.]+[-_]licen[cs]e", re.IGNORECASE)
LONGEST = 100_000
NOT_MIT = "shall be used for Good, not Evil"  # the JSON licence, within 5% of MIT


def licence(clone: Clone, tree: str) -> str:
    """Return an SPDX id; empty if there is no licence file, or one of them is not recognised, such as an empty one.

    Files like LICENSE and COPYING.txt count, and only without them files like LICENSE-MIT. Unlike licences are
    joined with AND, as nothing tells whether one may choose. Raises GitError if the clone lacks the tree.
    """
    files = {entry.name: entry.sha for entry in clone.entries(tree) if entry.mode in REGULAR}
    plain = [sha for name, sha in files.items() if PLAIN.fullmatch(SUFFIX.sub("", name))]
    variants = [sha for name, sha in files.items() if VARIANT.fullmatch(SUFFIX.sub("", name))]
    found = {spdx_id(clone.content(sha).text or "") for sha in plain or variants}
    return "" if "" in found else " AND ".join(sorted(found))


@functools.lru_cache(1024)
def spdx_id(text: str) -> str:
    """Return the SPDX id of a licence text; empty if none is within 5% of it."""
    if len(text) > LONGEST or NOT_MIT in text:
        return ""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return license_id(file.name) or ""
