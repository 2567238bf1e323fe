"""The supervised baseline (paper 3.1, appendix C)."""
