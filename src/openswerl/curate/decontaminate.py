"""Nothing of a benchmark's repositories may train the model that the benchmark measures (paper 2)."""

from collections.abc import Collection

from openswerl.records import PullRequest


def benchmark(pull: PullRequest, benchmarks: Collection[str], forks: Collection[str]) -> str | None:
    """Say why a pull request is contaminated.

    `benchmarks` and `forks` are lower-case owner/name. A repository of a benchmark repository's name under another
    owner counts if the archive calls it a fork; the archive does not say of what.
    """
    repo = pull.repo.lower()
    if repo in benchmarks:
        return "benchmark_repository"
    names = {benchmark.rpartition("/")[2] for benchmark in benchmarks}
    return "fork_of_benchmark" if repo in forks and repo.rpartition("/")[2] in names else None
