"""Where the trees of a benchmark are run."""
