"""Function templates of the laptop world. Fields: f name, s sequence, k bound, d factor, x element, t text, c number.

A signature lists the argument kinds in order (s list of numbers, n and k numbers, t text), then flags: N the first
argument may be None, E the first argument may be empty.
"""

from typing import NamedTuple


class Template(NamedTuple):
    """One small function with holes for its identifiers."""

    name: str
    signature: str
    source: str


def _template(name: str, signature: str, head: str, *body: str) -> Template:
    return Template(name, signature, "\n".join([f"def {{f}}({head}):", *("    " + line for line in body)]) + "\n")


TRAIN = [
    _template(
        "sum_from", "sk", "{s}, {k}={c}", "total = {k}", "for {x} in {s}:", "    total = total + {x}", "return total"
    ),
    _template(
        "count_above",
        "sk",
        "{s}, {k}={c}",
        "count = 0",
        "for {x} in {s}:",
        "    if {x} > {k}:",
        "        count = count + 1",
        "return count",
    ),
    _template(
        "keep_below",
        "sk",
        "{s}, {k}",
        "kept = []",
        "for {x} in {s}:",
        "    if {x} < {k}:",
        "        kept.append({x})",
        "return kept",
    ),
    _template("mean", "sN", "{s}", "if {s} is None:", "    return 0", "total = sum({s})", "return total / len({s})"),
    _template("mean_or_zero", "sE", "{s}", "if not {s}:", "    return 0", "return sum({s}) / len({s})"),
    _template(
        "scale", "sk", "{s}, {d}={c}", "result = []", "for {x} in {s}:", "    result.append({x} * {d})", "return result"
    ),
    _template("clamp", "nkk", "{x}, {k}, {d}", "if {x} < {k}:", "    return {k}", "return min({x}, {d})"),
    _template(
        "maximum",
        "sE",
        "{s}",
        "if not {s}:",
        "    return 0",
        "best = {s}[0]",
        "for i in range(1, len({s})):",
        "    if {s}[i] > best:",
        "        best = {s}[i]",
        "return best",
    ),
    _template(
        "minimum",
        "s",
        "{s}",
        "best = {s}[0]",
        "for i in range(1, len({s})):",
        "    best = min(best, {s}[i])",
        "return best",
    ),
    _template(
        "dot",
        "ss",
        "{s}, {d}",
        "total = 0",
        "for i in range(len({s})):",
        "    total = total + {s}[i] * {d}[i]",
        "return total",
    ),
    _template(
        "differences",
        "s",
        "{s}",
        "result = []",
        "for i in range(1, len({s})):",
        "    result.append({s}[i] - {s}[i - 1])",
        "return result",
    ),
    _template(
        "first_index",
        "sk",
        "{s}, {k}",
        "for i in range(len({s})):",
        "    if {s}[i] == {k}:",
        "        return i",
        "return -1",
    ),
    _template(
        "any_between",
        "skk",
        "{s}, {k}, {d}",
        "for {x} in {s}:",
        "    if {x} >= {k} and {x} <= {d}:",
        "        return True",
        "return False",
    ),
    _template(
        "power",
        "nk",
        "{x}, {k}={c}",
        "result = 1",
        "for i in range({k}):",
        "    result = result * {x}",
        "return result",
    ),
    _template("percent", "nk", "{x}, {d}", "if {d} == 0:", "    return 0", "return {x} * 100 / {d}"),
    _template("take", "skN", "{s}, {k}={c}", "if {s} is None:", "    return []", "return {s}[:{k}]"),
    _template("add_fee", "nkN", "{x}, {d}={c}", "if {x} is None:", "    return 0", "return {x} + {d}"),
    _template("gap", "nk", "{x}, {k}", "if {x} > {k}:", "    return {x} - {k}", "return {k} - {x}"),
    _template(
        "sum_over",
        "sk",
        "{s}, {k}",
        "total = 0",
        "for {x} in {s}:",
        "    if {x} >= {k}:",
        "        total = total + {x}",
        "return total",
    ),
    _template(
        "pairwise",
        "ss",
        "{s}, {d}",
        "result = []",
        "for i in range(min(len({s}), len({d}))):",
        "    result.append({s}[i] + {d}[i])",
        "return result",
    ),
    _template(
        "running",
        "s",
        "{s}",
        "total = 0",
        "result = []",
        "for {x} in {s}:",
        "    total = total + {x}",
        "    result.append(total)",
        "return result",
    ),
    _template("in_window", "nkk", "{x}, {k}, {d}={c}", "return {x} >= {k} and {x} < {k} + {d}"),
    _template(
        "last_index",
        "sk",
        "{s}, {k}",
        "found = -1",
        "for i in range(len({s})):",
        "    if {s}[i] <= {k}:",
        "        found = i",
        "return found",
    ),
    _template(
        "charge", "nkk", "{x}, {d}, {k}={c}", "cost = {x} * {d}", "if cost < {k}:", "    return {k}", "return cost"
    ),
    _template(
        "is_sorted",
        "s",
        "{s}",
        "for i in range(1, len({s})):",
        "    if {s}[i] < {s}[i - 1]:",
        "        return False",
        "return True",
    ),
    _template("clean", "t", "{t}", "result = {t}.strip()", "return result.lower()"),
    _template("has_mark", "tt", "{t}, {k}", "if not {t}:", "    return False", "return {t}.startswith({k})"),
    _template("pad", "tk", "{t}, {k}={c}", "result = {t}.upper()", "return result.ljust({k})"),
]
HELD = [
    _template(
        "cap_all",
        "sk",
        "{s}, {k}={c}",
        "result = []",
        "for {x} in {s}:",
        "    result.append(min({x}, {k}))",
        "return result",
    ),
    _template("outside", "nkk", "{x}, {k}, {d}", "if {x} < {k} or {x} > {d}:", "    return True", "return False"),
    _template(
        "suffix_sum",
        "sk",
        "{s}, {k}",
        "total = 0",
        "for i in range({k}, len({s})):",
        "    total = total + {s}[i]",
        "return total",
    ),
    _template("discount", "nkN", "{x}, {d}={c}", "if {x} is None:", "    return 0", "return max({x} - {d}, 0)"),
    _template(
        "below",
        "sk",
        "{s}, {k}",
        "count = 0",
        "for i in range(len({s})):",
        "    if {s}[i] < {k}:",
        "        count = count + 1",
        "return count",
    ),
    _template("area", "nkk", "{x}, {k}, {d}={c}", "result = {x} * {k}", "return result + {d}"),
    _template("ends", "tt", "{t}, {k}", "result = {t}.lower()", "return result.endswith({k})"),
    _template("spread", "sE", "{s}", "if not {s}:", "    return 0", "return max({s}) - min({s})"),
]
