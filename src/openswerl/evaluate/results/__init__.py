"""What became of the answers: rows, rates, causes of failure, breakdowns, curves over samples and tests."""
