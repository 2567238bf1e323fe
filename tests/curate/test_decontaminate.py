import pytest

from curate.pulls import pull
from openswerl.curate.decontaminate import benchmark

BENCHMARKS = {"django/django", "psf/requests"}


@pytest.mark.parametrize(
    ("repo", "forks", "reason"),
    [
        ("django/django", set(), "benchmark_repository"),
        ("Django/DJANGO", set(), "benchmark_repository"),
        ("someone/django", {"someone/django"}, "fork_of_benchmark"),
        ("Someone/Django", {"someone/django"}, "fork_of_benchmark"),
        ("someone/django", set(), None),  # a namesake that the archive does not call a fork
        ("someone/django-extras", {"someone/django-extras"}, None),
        ("psf/black", {"psf/black"}, None),
    ],
)
def test_benchmark(repo, forks, reason):
    assert benchmark(pull(repo=repo), BENCHMARKS, forks) == reason
