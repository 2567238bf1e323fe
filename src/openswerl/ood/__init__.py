"""The out-of-domain suites (paper Table 3): coding, code reasoning, mathematics and general knowledge."""
