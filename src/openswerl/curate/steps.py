"""The steps by name, in three groups: filters look at one pull request, groupings at all, seeds at one again."""

from collections.abc import Callable, Iterable

from openswerl.curate.bots import bots
from openswerl.curate.bugs import seed_bug
from openswerl.curate.change import Change
from openswerl.curate.decontaminate import decontaminate
from openswerl.curate.filters import forks, licence, size
from openswerl.curate.generated import generated
from openswerl.curate.labels import seed_kind
from openswerl.curate.rules import Rules
from openswerl.curate.seeds import seed_edits, seed_files, seed_issue
from openswerl.errors import UserError
from openswerl.schema import Curate

Filter = Callable[[Change, Rules], str | None]
FILTERS: dict[str, Filter] = {
    filter.__name__: filter for filter in (decontaminate, bots, forks, size, generated, licence)
}
SEEDS: dict[str, Filter] = {rule.__name__: rule for rule in (seed_issue, seed_bug, seed_kind, seed_files, seed_edits)}
GROUPINGS = ("reverts", "same_patch", "same_issue", "backports", "near_duplicates")


def check(cfg: Curate) -> None:
    """Raise UserError for a step that does not exist."""
    groups = (("filters", cfg.filters, FILTERS), ("groupings", cfg.groupings, GROUPINGS), ("seeds", cfg.seeds, SEEDS))
    for key, names, known in groups:
        for name in names:
            if name not in known:
                raise UserError(f"curate.{key}: there is no step {name}; choose among {', '.join(known)}")


def first_reason(
    change: Change, rules: Rules, names: Iterable[str], steps: dict[str, Filter]
) -> tuple[str, str] | None:
    """Return (step, reason) of the first step that drops a pull request."""
    for name in names:
        if reason := steps[name](change, rules):
            return name, reason
    return None
