"""Verdicts by the official SWE-bench harness, and what guards them."""
