"""Small suites of our own in the formats of the benchmarks, the same on every machine; never scores of these."""
