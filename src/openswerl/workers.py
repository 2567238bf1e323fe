"""How many processes or threads a stage may start."""

import os


def workers() -> int:
    """Return the threads that Snakemake gives this job; by hand, one for each CPU."""
    return int(os.environ.get("OPENSWERL_WORKERS", "0")) or os.cpu_count() or 1
