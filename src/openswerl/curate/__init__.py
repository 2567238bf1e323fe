"""Filters, decontamination, deduplication and the choice of RL seeds (paper 2, appendix A)."""
