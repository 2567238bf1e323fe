"""Journals of metrics, which are the truth of a run, and their mirrors: W&B and TensorBoard."""
