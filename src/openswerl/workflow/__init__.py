"""What the Snakefile alone calls: its lock, and the last words of a run."""
