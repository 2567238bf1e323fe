"""Nothing of a benchmark's repositories or rows may train the model that the benchmark measures (paper 2)."""

from typing import NamedTuple

from openswerl.curate.change import Change
from openswerl.curate.grams import grams
from openswerl.curate.hunks import changed_text
from openswerl.curate.patch_id import file_ids
from openswerl.curate.rules import Rules


class Contamination(NamedTuple):
    """Why a pull request is contaminated, by which repository or instance, and the share of text in common."""

    reason: str
    benchmark: str
    overlap: float = 1.0


def decontaminate(change: Change, rules: Rules) -> str | None:
    """Say why a pull request is contaminated."""
    found = contamination(change, rules)
    return found.reason if found else None


def contamination(change: Change, rules: Rules) -> Contamination | None:
    """Judge by repository (the paper's rule), then by commit, patch and text of the benchmark's rows."""
    return by_repository(change, rules) or by_patch(change, rules) or by_text(change, rules)


def by_repository(change: Change, rules: Rules) -> Contamination | None:
    """The repository, by id or any of its names; a fork of that name; a head that lies in such a repository.

    The archive does not say of what a repository is a fork; one that may be a fork counts.
    """
    pull, known = change.pull, rules.benchmark
    repo = pull.repo.lower()
    if repo in known.repositories:
        return Contamination("benchmark_repository", repo)
    if pull.repo_id in known.ids:
        return Contamination("benchmark_id", repo)
    if not rules.cfg.benchmark_forks:
        return None
    if pull.fork is not False and repo.rpartition("/")[2] in rules.benchmark_names:
        return Contamination("fork_of_benchmark", repo)
    if pull.head_repo.lower() in known.repositories or pull.head_repo_id in known.ids:
        return Contamination("head_in_benchmark", pull.head_repo.lower())
    return None


def by_patch(change: Change, rules: Rules) -> Contamination | None:
    """The merge base of a row, or every file of a row's patch: a fork under another name, or a copy."""
    if not rules.benchmark.instances:
        return None
    if instance := rules.benchmark.commits.get(change.pull.merge_base):
        return Contamination("benchmark_commit", instance)
    files = file_ids(change.files)
    for file in sorted(files):
        for instance, patch in rules.benchmark.patches.get(file, ()):
            if patch <= files:
                return Contamination("benchmark_patch", instance)
    return None


def by_text(change: Change, rules: Rules) -> Contamination | None:
    """Runs of words in common with a row's problem statement or patch: `max_overlap` of the shorter text, or more."""
    if not rules.benchmark.instances:
        return None
    texts = (
        ("statement_overlap", rules.benchmark.statements, change.statement),
        ("patch_overlap", rules.benchmark.changes, changed_text(change.files)),
    )
    for reason, index, text in texts:
        row, share = index.closest(grams(text, rules.cfg.overlap_words))
        if share >= rules.cfg.max_overlap:
            return Contamination(reason, rules.benchmark.instances[row], round(share, 4))
    return None
