"""Policies: where a model starts from, and how it is asked."""
