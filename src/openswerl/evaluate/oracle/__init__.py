"""Repair with the oracle files given (paper Table 2)."""
